import type { Row } from '../row';
import { bareStart, lacks, start } from '../sides/crewai';

export const crewaiStart: Row = {
	name: 'crewai-start',
	what: () => 'start of the crew server with a CrewAI project',
	unit: 's',
	start: 'cold',
	ours: start,
	beside: bareStart,
	target: { most: 1.3 },
	size: 1,
	lacks,
};
