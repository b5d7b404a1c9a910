import type { Row } from '../row';
import { crewTrigger, webhookNode } from '../sides/trigger';

export const trigger: Row = {
	name: 'trigger',
	what: () => 'callbacks a second until answered, 10 connections',
	unit: '/s',
	start: 'warm',
	ours: crewTrigger,
	beside: webhookNode(2),
	// Without a target: n8n makes a sandbox for each call of a trigger, but for its own Webhook node.
	size: 30,
};
