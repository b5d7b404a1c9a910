import type { Row } from '../row';
import { bestOf, crew, floor } from '../sides/kickoffs';

export const slowKickoffsFloor: Row = {
	name: 'slow-kickoffs-floor',
	what: (size) => `${size} kickoffs, crew answers after 200 ms`,
	unit: 'ms',
	start: 'warm',
	ours: crew(),
	beside: bestOf('the requests alone, best of 10, 30 and 64 at once', [10, 30, 64].map(floor)),
	target: { most: 1.15 },
	size: 500,
	latency: 200,
};
