import type { Row } from '../row';
import { peakMemory } from '../sides/kickoffs';

export const kickoffsMemory: Row = {
	name: 'kickoffs-memory',
	what: (size) => `n8n’s memory at its peak during ${size} kickoffs`,
	unit: 'MB',
	start: 'cold',
	ours: peakMemory('Crew'),
	beside: peakMemory('HTTP Request'),
	target: { most: 1 },
	size: 10_000,
	repetitions: 3,
};
