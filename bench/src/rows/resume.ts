import type { Row } from '../row';
import { crew, wait } from '../sides/resume';

export const resume: Row = {
	name: 'resume',
	what: () => 'from the end of the crew to the next node, crew answers after 20 ms',
	unit: 'ms',
	start: 'warm',
	ours: crew,
	beside: wait,
	target: { most: 1.15 },
	size: 6,
	quick: { size: 3, repetitions: 2 },
};
