import type { Row } from '../row';
import { crew, wait } from '../sides/resume';

export const resumeAtOnce: Row = {
	name: 'resume-at-once',
	what: () => 'from the end of the crew to the next node, crew answers at once',
	unit: 'ms',
	start: 'warm',
	ours: crew,
	beside: wait,
	target: { most: 1.15 },
	size: 6,
	latency: 0,
};
