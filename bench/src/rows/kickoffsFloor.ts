import type { Row } from '../row';
import { crew, floor } from '../sides/kickoffs';

export const kickoffsFloor: Row = {
	name: 'kickoffs-floor',
	what: (size) => `${size} kickoffs, crew answers after 20 ms`,
	unit: 'ms',
	start: 'warm',
	ours: crew(),
	beside: floor(10),
	target: { most: 1.3 },
	size: 500,
	quick: { repetitions: 2 },
};
