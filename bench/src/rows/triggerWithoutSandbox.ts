import type { Row } from '../row';
import { crewTrigger, webhookNode } from '../sides/trigger';

export const triggerWithoutSandbox: Row = {
	name: 'trigger-no-sandbox',
	what: () =>
		'callbacks a second until answered, 10 connections, without n8n’s sandbox for expressions',
	unit: '/s',
	start: 'warm',
	ours: crewTrigger,
	beside: webhookNode(2),
	target: { least: 0.95 },
	size: 100,
	n8n: { N8N_EXPRESSION_ENGINE: 'legacy' },
};
