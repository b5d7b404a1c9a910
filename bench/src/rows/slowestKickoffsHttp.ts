import type { Row } from '../row';
import { crew, httpRequest } from '../sides/kickoffs';

export const slowestKickoffsHttp: Row = {
	name: 'slowest-kickoffs-http',
	what: (size) => `${size} kickoffs, crew answers after 1 s`,
	unit: 'ms',
	start: 'warm',
	ours: crew(),
	beside: httpRequest,
	target: { most: 3 },
	size: 500,
	latency: 1_000,
};
