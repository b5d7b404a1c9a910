import type { Row } from '../row';
import { crew, crewAtOnce } from '../sides/kickoffs';

export const refusedKickoffs: Row = {
	name: 'refused-kickoffs',
	what: (size) => `${size} kickoffs, crew answers after 200 ms, and 429 beyond 20 at once`,
	unit: 'ms',
	start: 'cold',
	ours: crew(),
	beside: crewAtOnce(20),
	target: { most: 1.25 },
	size: 500,
	latency: 200,
	faults: ['429-beyond=20@kickoff'],
};
