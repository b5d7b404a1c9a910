import type { Row } from '../row';
import { crewTrigger, webhookNode } from '../sides/trigger';

export const trigger: Row = {
	name: 'trigger',
	what: () => 'callbacks a second until answered, 10 connections',
	unit: '/s',
	start: 'warm',
	ours: crewTrigger,
	beside: webhookNode(2),
	target: { least: 0.95 },
	size: 50,
	quick: { size: 30, repetitions: 2 },
};
