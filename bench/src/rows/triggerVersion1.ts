import type { Row } from '../row';
import { crewTrigger, webhookNode } from '../sides/trigger';

export const triggerVersion1: Row = {
	name: 'trigger-version-1',
	what: () => 'callbacks a second until answered, 10 connections',
	unit: '/s',
	start: 'warm',
	ours: crewTrigger,
	beside: webhookNode(1),
	target: { least: 0.95 },
	size: 30,
	quick: { size: 15, repetitions: 2 },
};
