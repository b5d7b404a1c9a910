import type { Row } from '../row';
import { firstCallOfAsking, lacks, nextCall } from '../sides/crewai';

export const crewaiResume: Row = {
	name: 'crewai-resume',
	what: () => 'resume’s answer to the model’s next call, real crew',
	unit: 'ms',
	start: 'warm',
	ours: nextCall,
	beside: firstCallOfAsking,
	target: { most: 1.2 },
	size: 1,
	quick: { repetitions: 2 },
	lacks,
};
