import { limit, type Row } from '../row';
import { crewTrigger, webhookNode } from '../sides/trigger';
import { request, twoRequests } from '../sides/stream';

/** How fast callbacks are accepted. */
export const triggerRows: readonly Row[] = [
	{
		name: 'trigger',
		what: () => 'callbacks a second until answered, 10 connections',
		unit: '/s',
		start: 'warm',
		ours: crewTrigger,
		beside: webhookNode(2),
		// Without a target: n8n makes a sandbox for each call of a trigger, except for its own Webhook node.
		size: 30,
	},
	{
		name: 'trigger-version-1',
		what: () => 'callbacks a second until answered, 10 connections',
		unit: '/s',
		start: 'warm',
		ours: crewTrigger,
		beside: webhookNode(1),
		target: { least: 0.95 },
		size: 30,
		quick: { size: 15, repetitions: 2 },
	},
	{
		name: 'stream',
		what: (size) => `one request with ${size} events, until it is answered`,
		unit: 'ms',
		start: 'warm',
		ours: request,
		beside: limit(() => 1_000),
		target: { most: 1 },
		size: 10_000,
		quick: { repetitions: 2 },
	},
	{
		name: 'stream-growth',
		what: (size) => `one request with ${size} events, until it is answered`,
		unit: 'ms',
		start: 'warm',
		ours: request,
		beside: twoRequests,
		target: { most: 1 },
		size: 10_000,
	},
	{
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
	},
];
