import { limit, type Row } from '../row';
import { crewRequests } from '../sides/kickoffs';

export const refusedKickoffsRequests: Row = {
	name: 'refused-kickoffs-requests',
	what: (size) =>
		`requests for ${size} kickoffs, crew answers after 200 ms, and 429 beyond 20 at once`,
	unit: 'requests',
	start: 'cold',
	ours: crewRequests,
	beside: limit((size) => size * 1.1, 'a tenth more than kickoffs'),
	target: { most: 1 },
	size: 500,
	latency: 200,
	faults: ['429-beyond=20@kickoff'],
	isCount: true,
};
