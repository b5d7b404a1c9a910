import type { Row } from '../row';
import { crew, httpRequest } from '../sides/kickoffs';

export const kickoffsHttp: Row = {
	name: 'kickoffs-http',
	what: (size) => `${size} kickoffs, crew answers after 20 ms`,
	unit: 'ms',
	start: 'warm',
	ours: crew(),
	beside: httpRequest,
	target: { most: 0.5 },
	size: 500,
	quick: { repetitions: 2 },
};
