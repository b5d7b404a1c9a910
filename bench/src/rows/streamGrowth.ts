import type { Row } from '../row';
import { request, twoRequests } from '../sides/stream';

export const streamGrowth: Row = {
	name: 'stream-growth',
	what: (size) => `one request with ${size} events, until it is answered`,
	unit: 'ms',
	start: 'warm',
	ours: request,
	beside: twoRequests,
	target: { most: 1 },
	size: 10_000,
};
