import type { Row } from '../row';
import { bareKickoffs, kickoffs, lacks } from '../sides/crewai';

export const crewaiKickoff: Row = {
	name: 'crewai-kickoff',
	what: () => 'real crew of two tasks, model of 50 ms, until completed',
	unit: 's',
	start: 'warm',
	ours: kickoffs,
	beside: bareKickoffs,
	target: { most: 1.3 },
	size: 1,
	lacks,
};
