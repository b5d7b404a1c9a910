import { limit, type Row } from '../row';
import { request } from '../sides/stream';

export const stream: Row = {
	name: 'stream',
	what: (size) => `one request with ${size} events, until it is answered`,
	unit: 'ms',
	start: 'warm',
	ours: request,
	beside: limit(() => 1_000),
	target: { most: 1 },
	size: 10_000,
	quick: { repetitions: 2 },
};
