import { limit, type Row } from '../row';
import { firstCall, lacks } from '../sides/crewai';

export const crewaiFirstCall: Row = {
	name: 'crewai-first-call',
	what: () => 'kickoff’s answer to the model’s first call, real crew',
	unit: 'ms',
	start: 'warm',
	ours: firstCall,
	beside: limit(() => 150),
	target: { most: 1 },
	size: 1,
	quick: { repetitions: 2 },
	lacks,
};
