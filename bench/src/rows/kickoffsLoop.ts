import type { Row } from '../row';
import { crew, loop } from '../sides/kickoffs';

export const kickoffsLoop: Row = {
	name: 'kickoffs-loop',
	what: (size) => `${size} kickoffs, crew answers after 20 ms`,
	unit: 'ms',
	start: 'warm',
	ours: crew(),
	beside: loop,
	target: { most: 0.2 },
	size: 100,
	quick: { repetitions: 2 },
};
