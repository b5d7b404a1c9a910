import type { Row } from '../row';
import { EVOLUTION, size, OURS } from '../sides/package';

export const sizeEvolution: Row = {
	name: 'size-evolution',
	what: () => 'size of the package, unpacked',
	unit: 'kB',
	start: 'cold',
	ours: size(OURS),
	beside: size(EVOLUTION),
	target: { most: 1 },
	size: 1,
	isCount: true,
};
