import type { Row } from '../row';
import { crewWithExpressions, httpRequest } from '../sides/heap';

export const heapPerExpression: Row = {
	name: 'heap-per-expression',
	what: (size) => `heap per item of ${size} kickoffs with an expression for each, beyond the items`,
	unit: 'kB',
	start: 'warm',
	ours: crewWithExpressions,
	beside: httpRequest,
	size: 500,
};
