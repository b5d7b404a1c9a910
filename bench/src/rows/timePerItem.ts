import type { Row } from '../row';
import { crew, perItem } from '../sides/kickoffs';

export const timePerItem: Row = {
	name: 'time-per-item',
	what: (size) => `time per item of ${size} kickoffs, crew answers after 20 ms`,
	unit: 'ms',
	start: 'warm',
	ours: perItem(crew()),
	beside: perItem(crew(), 100),
	target: { most: 1.1 },
	size: 1_000,
	quick: { repetitions: 1 },
};
