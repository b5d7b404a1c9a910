import type { Row } from '../row';
import { crew, httpRequest, medianOf } from '../sides/kickoffs';

export const kickoffOne: Row = {
	name: 'kickoff-one',
	what: () => '1 kickoff, crew answers after 20 ms',
	unit: 'ms',
	start: 'warm',
	ours: medianOf(5, crew()),
	beside: medianOf(5, httpRequest),
	size: 1,
};
