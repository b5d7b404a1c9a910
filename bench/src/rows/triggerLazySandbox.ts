import type { Row } from '../row';
import { crewTrigger, webhookNode } from '../sides/trigger';

export const triggerLazySandbox: Row = {
	name: 'trigger-lazy-sandbox',
	what: () =>
		'callbacks a second until answered, 10 connections, n8n’s sandbox for expressions only if needed',
	unit: '/s',
	start: 'warm',
	ours: crewTrigger,
	beside: webhookNode(2),
	target: { least: 0.8 },
	size: 100,
	n8n: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
};
