import type { Row } from '../row';
import { bound, join as ours } from '../sides/join';

export const join: Row = {
	name: 'join',
	what: (size) => `status requests to join ${size} crews`,
	unit: 'requests',
	start: 'warm',
	ours,
	beside: bound,
	target: { most: 1 },
	size: 100,
	isCount: true,
	quick: { size: 10 },
};
