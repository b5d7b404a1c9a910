import type { Row } from '../row';
import { crew, httpRequest } from '../sides/kickoffs';

export const slowestKickoffsCold: Row = {
	name: 'slowest-kickoffs-http-cold',
	what: (size) => `${size} kickoffs, crew answers after 1 s`,
	unit: 'ms',
	start: 'cold',
	ours: crew(),
	beside: httpRequest,
	target: { most: 3.9 },
	size: 500,
	latency: 1_000,
};
