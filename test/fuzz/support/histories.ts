import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { kickoff } from '../../../crew-server/src/domain/kickoff';
import { ON_INTERRUPT, type OnInterrupt } from '../../../crew-server/src/domain/crew';
import type { Execution } from '../../../crew-server/src/domain/execution';
import type { Command, Report } from '../../../crew-server/src/domain/messages';
import { transition } from '../../../crew-server/src/domain/transition';
import type { Change } from '../../../crew-server/src/domain/draft';

const TASKS = ['research', 'write', 'check'];
/** All callbacks go to URLs that begin with this. */
export const URL = 'https://n8n.example.com/webhook/';
const EVENTS = ['crew_kickoff_started', 'task_started', 'note', 'crew_kickoff_completed'];

const taskId = fc.constantFrom(...TASKS, 'unknown');
const text = fc.string({ maxLength: 5 });
const checkpoint = fc.option(fc.constant({ kept: 'CHECKPOINT' }), { nil: null });
const target = fc.record({
	url: fc.constant(`${URL}stream`),
	events: fc.subarray(EVENTS),
	realtime: fc.boolean(),
});
const callbacks = fc.record(
	{
		taskWebhookUrl: fc.constant(`${URL}task`),
		stepWebhookUrl: fc.constant(`${URL}step`),
		stepsOfTools: fc.boolean(),
		crewWebhookUrl: fc.constant(`${URL}crew`),
		humanInputWebhook: fc.constant({ url: `${URL}human` }),
		humanInputWebhookUrl: fc.constant(`${URL}human/by-url`),
		webhooks: target,
	},
	{ requiredKeys: [] },
);
const usage = fc.constant({ total_tokens: 2, prompt_tokens: 1, completion_tokens: 1 });
const only = <T extends string>(type: T) => fc.record({ type: fc.constant(type) });

const answer = fc.record(
	{
		type: fc.constant('answer' as const),
		taskId,
		feedback: text,
		isApprove: fc.boolean(),
		callbacks,
		// The test replaces each one with a new identifier.
		newId: fc.constant('new'),
		isFinal: fc.boolean(),
	},
	{ requiredKeys: ['type', 'taskId', 'feedback', 'isApprove', 'callbacks'] },
);

const reports = [
	fc.record({ type: fc.constant('checkpoint' as const), checkpoint }),
	fc.record({ type: fc.constant('task_begun' as const), taskId }),
	fc.record({
		type: fc.constant('step' as const),
		step: fc.record(
			{ prompt: text, thought: text, result: text, tool: text },
			{ requiredKeys: ['prompt', 'thought', 'result'] },
		),
	}),
	fc.record({ type: fc.constant('tokens' as const), usage }),
	fc.record({
		type: fc.constant('event' as const),
		name: fc.constantFrom('note', 'other'),
		data: fc.constant({ a: 1 }),
	}),
	fc.record({ type: fc.constant('question' as const), taskId, output: text, checkpoint }),
	only('paused'),
	only('told'),
	fc.record({ type: fc.constant('task_skipped' as const), taskId }),
	fc.record({ type: fc.constant('task_done' as const), taskId, output: text, checkpoint }),
	fc.record({ type: fc.constant('task_lost' as const), taskId, error: text }),
	only('interrupted'),
	only('requeued'),
];
const goingOn: fc.Arbitrary<Command | Report> = fc.oneof(...reports, answer, answer);
/** A message that ends an execution. */
export const ending: fc.Arbitrary<Command | Report> = fc.oneof(
	only('stop'),
	only('crew_done'),
	fc.record({ type: fc.constant('failed' as const), error: text }),
);
const messages = fc.array(
	fc.oneof({ arbitrary: goingOn, weight: 30 }, { arbitrary: ending, weight: 1 }),
	{
		maxLength: 60,
	},
);
const onInterrupt = fc.tuple(...TASKS.map(() => fc.constantFrom(...ON_INTERRUPT)));
/** A kickoff's callbacks, what its tasks do on interruptions, and the messages that follow. */
export const history = fc.record({ callbacks, messages, onInterrupt });

export interface Step {
	before: Execution;
	message: Command | Report;
	change: Change | undefined;
}

interface Run {
	steps: Step[];
	first: Change;
	last: Execution;
}

/** Applies one message after the other. Everything is frozen first. */
export function run({
	callbacks: given,
	messages: all,
	onInterrupt: words,
}: {
	callbacks: object;
	messages: Array<Command | Report>;
	onInterrupt: OnInterrupt[];
}): Run {
	const crew = {
		name: 'writers',
		inputs: [],
		tasks: TASKS.map((name, index) => ({
			name,
			description: '{a}',
			expectedOutput: '',
			agent: '',
			onInterrupt: words[index],
		})),
	};
	const order = { kickoffId: randomUUID(), owner: 'user' as const, inputs: { a: 'b' } };
	const uuids = TASKS.map(() => randomUUID());
	const first = kickoff(crew, { ...order, taskUuids: uuids, callbacks: given }, 0);
	let execution = frozen(first.execution);
	const steps = all.map((each, index) => {
		const message = each.type === 'answer' && each.newId ? { ...each, newId: randomUUID() } : each;
		const before = execution;
		const change = transition(before, frozen(message), index + 1);
		if (change) execution = frozen(change.execution);
		return { before, message, change };
	});
	return { steps, first, last: execution };
}

/** Changing a frozen value throws in strict mode. */
function frozen<T>(value: T): T {
	if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
	Object.freeze(value);
	Object.values(value).forEach(frozen);
	return value;
}
