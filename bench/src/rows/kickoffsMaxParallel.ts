import type { Row } from '../row';
import { crewAtOnce, httpRequest } from '../sides/kickoffs';

export const kickoffsMaxParallel: Row = {
	name: 'kickoffs-parallel-30',
	what: (size) => `${size} kickoffs, Max Parallel Requests 30, crew answers after 20 ms`,
	unit: 'ms',
	start: 'warm',
	ours: crewAtOnce(30),
	beside: httpRequest,
	target: { most: 0.6 },
	size: 500,
};
