import type { Row } from '../row';
import { crew, httpRequest } from '../sides/kickoffs';

export const kickoffsCold: Row = {
	name: 'kickoffs-http-cold',
	what: (size) => `${size} kickoffs, crew answers after 20 ms`,
	unit: 'ms',
	start: 'cold',
	ours: crew(),
	beside: httpRequest,
	target: { most: 0.6 },
	size: 500,
};
