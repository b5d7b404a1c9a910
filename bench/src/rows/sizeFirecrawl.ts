import type { Row } from '../row';
import { FIRECRAWL, size, OURS } from '../sides/package';

export const sizeFirecrawl: Row = {
	name: 'size-firecrawl',
	what: () => 'size of the package, unpacked',
	unit: 'kB',
	start: 'cold',
	ours: size(OURS),
	beside: size(FIRECRAWL),
	target: { most: 1 },
	size: 1,
	isCount: true,
	quick: {},
};
