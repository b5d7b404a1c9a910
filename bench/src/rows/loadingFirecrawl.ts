import type { Row } from '../row';
import { FIRECRAWL, loading, OURS } from '../sides/package';

export const loadingFirecrawl: Row = {
	name: 'loading-firecrawl',
	what: () => 'time to load all nodes of the package',
	unit: 'ms',
	start: 'cold',
	ours: loading(OURS),
	beside: loading(FIRECRAWL),
	target: { most: 1 },
	size: 3,
	quick: { repetitions: 2 },
};
