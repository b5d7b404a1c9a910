import type { Row } from '../row';
import { bareKickoffs, kickoffs, lacks } from '../sides/crewai';

export const crewaiKickoffs: Row = {
	name: 'crewai-kickoffs',
	what: (size) => `${size} such kickoffs at once`,
	unit: 's',
	start: 'warm',
	ours: kickoffs,
	beside: bareKickoffs,
	target: { most: 1.2 },
	size: 10,
	lacks,
};
