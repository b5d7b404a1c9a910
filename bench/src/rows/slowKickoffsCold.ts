import type { Row } from '../row';
import { crew, httpRequest } from '../sides/kickoffs';

export const slowKickoffsCold: Row = {
	name: 'slow-kickoffs-http-cold',
	what: (size) => `${size} kickoffs, crew answers after 200 ms`,
	unit: 'ms',
	start: 'cold',
	ours: crew(),
	beside: httpRequest,
	target: { most: 0.9 },
	size: 500,
	latency: 200,
};
