import { limit, type Row } from '../row';
import { crew } from '../sides/heap';

export const heapPerItem: Row = {
	name: 'heap-per-item',
	what: (size) => `heap per item of ${size} kickoffs, beyond the items themselves`,
	unit: 'kB',
	start: 'warm',
	ours: crew,
	beside: limit(() => 3),
	target: { most: 1 },
	size: 500,
};
