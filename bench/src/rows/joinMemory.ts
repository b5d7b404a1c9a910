import type { Row } from '../row';
import { peakOfHttpRequest, peakOfJoin } from '../sides/kickoffs';

export const joinMemory: Row = {
	name: 'join-memory',
	what: (size) => `n8n’s memory at its peak during ${size} kickoffs`,
	unit: 'MB',
	start: 'cold',
	ours: peakOfJoin,
	beside: peakOfHttpRequest,
	target: { most: 1 },
	size: 10_000,
	repetitions: 1,
	startsApart: true,
};
