import type { Row } from '../row';
import { crew, wait } from '../sides/waitCpu';

export const waitCpu: Row = {
	name: 'wait-cpu',
	what: (size) => `n8n’s CPU time for one of ${size} executions that wait and are ended by a call`,
	unit: 'ms',
	start: 'warm',
	ours: crew,
	beside: wait,
	target: { most: 1.15 },
	size: 10,
};
