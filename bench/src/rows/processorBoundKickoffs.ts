import type { Row } from '../row';
import { bestOf, crew, crewAtOnce } from '../sides/kickoffs';

export const processorBoundKickoffs: Row = {
	name: 'processor-bound-kickoffs',
	what: (size) => `${size} kickoffs, crew takes 50 ms for each of 4 at once`,
	unit: 'ms',
	start: 'warm',
	ours: crew(),
	beside: bestOf(
		'Crew, Max Parallel Requests at its best of 4, 10 and 30',
		[4, 10, 30].map(crewAtOnce),
	),
	target: { most: 1.05 },
	size: 500,
	latency: 50,
	faults: ['at-once=4@kickoff'],
};
