import type { Row } from '../row';
import { EVOLUTION, loading, OURS } from '../sides/package';

export const loadingEvolution: Row = {
	name: 'loading-evolution',
	what: () => 'time to load all nodes of the package',
	unit: 'ms',
	start: 'cold',
	ours: loading(OURS),
	beside: loading(EVOLUTION),
	target: { most: 1 },
	size: 3,
};
