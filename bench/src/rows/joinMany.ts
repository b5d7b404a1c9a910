import type { Row } from '../row';
import { bound, join } from '../sides/join';

export const joinMany: Row = {
	name: 'join-many',
	what: (size) => `status requests to join ${size} crews`,
	unit: 'requests',
	start: 'warm',
	ours: join,
	beside: bound,
	target: { most: 1 },
	size: 500,
	isCount: true,
};
