import type { Row } from '../row';
import { crew, httpRequestBearer } from '../sides/kickoffs';

export const kickoffsBearer: Row = {
	name: 'kickoffs-http-bearer',
	what: (size) => `${size} kickoffs, crew answers after 20 ms`,
	unit: 'ms',
	start: 'warm',
	ours: crew(),
	beside: httpRequestBearer,
	size: 500,
};
