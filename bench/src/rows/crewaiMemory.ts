import { limit, type Row } from '../row';
import { lacks, memory } from '../sides/crewai';

export const crewaiMemory: Row = {
	name: 'crewai-memory',
	what: () => 'private memory of a running execution, real crew',
	unit: 'MB',
	start: 'warm',
	ours: memory,
	beside: limit(() => 50),
	target: { most: 1 },
	size: 1,
	isCount: true,
	lacks,
};
