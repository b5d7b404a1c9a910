import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { kickoff } from '../../crew-server/src/domain/kickoff';
import { ON_INTERRUPT, type OnInterrupt } from '../../crew-server/src/domain/crew';
import {
	hasEnded,
	isHeldBack,
	isOpen,
	isWaitingForPerson,
	questionAbout,
	type Execution,
} from '../../crew-server/src/domain/execution';
import type { Command, Report } from '../../crew-server/src/domain/messages';
import { transition } from '../../crew-server/src/domain/transition';
import type { Change } from '../../crew-server/src/domain/draft';
import { holds } from './support/property';

const TASKS = ['research', 'write', 'check'];
const URL = 'https://n8n.example.com/webhook/';
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
		humanInputWebhookUrl: fc.constant(`${URL}human`),
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
const ending: fc.Arbitrary<Command | Report> = fc.oneof(
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
const history = fc.record({ callbacks, messages, onInterrupt });

interface Run {
	steps: Array<{ before: Execution; message: Command | Report; change: Change | undefined }>;
	first: Change;
	last: Execution;
}

/** Applies one message after the other. Everything is frozen first. */
function run({
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

describe('an execution, whatever messages it gets in whatever order', () => {
	it('never leaves its final state, and reports nothing more', () => {
		holds(history, (given) => {
			for (const { before, change } of run(given).steps) {
				if (hasEnded(before)) expect(change).toBeUndefined();
			}
		});
	});

	it('numbers its events without gaps, from 1 under each identifier', () => {
		holds(history, (given) => {
			const { first, steps, last } = run(given);
			const numbers = new Map<string, number>();
			for (const event of [first, ...steps.map(({ change }) => change)].flatMap(
				(change) => change?.events ?? [],
			)) {
				const number = (numbers.get(event.execution_id) ?? 0) + 1;
				numbers.set(event.execution_id, number);
				expect(event.data['emission_sequence']).toBe(number);
				expect(event.id).toBe(`${event.execution_id}-${number}`);
			}
			expect(last.events).toBe(numbers.get(last.kickoffId) ?? 0);
		});
	});

	it('gives each callback its own identifier, and sends it only to requested URLs', () => {
		holds(history, (given) => {
			const { first, steps } = run(given);
			const all = [first, ...steps.map(({ change }) => change)].flatMap(
				(change) => change?.callbacks ?? [],
			);
			expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
			expect(all.every(({ url }) => url.startsWith(URL))).toBe(true);
		});
	});

	it('sends each held event once, and none is left after its own end', () => {
		holds(history, (given) => {
			const { steps, last } = run(given);
			const ends = new Map<string, number>();
			for (const { change } of steps) {
				for (const { held, kickoffId } of change?.callbacks ?? []) {
					if (!held) continue;
					expect(held.from).toBeGreaterThan(ends.get(kickoffId) ?? 0);
					const own = change?.events.filter((one) => one.execution_id === kickoffId);
					ends.set(kickoffId, own?.length ? change!.execution.events : held.from);
				}
			}
			if (hasEnded(last)) {
				expect(last.heldFrom).toBeUndefined();
			}
		});
	});

	it('has one answer for each question, and is pending only while one is open', () => {
		holds(history, (given) => {
			for (const { before, message, change } of run(given).steps) {
				if (!change) continue;
				const { questions } = change.execution;
				expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
				const open = questions.filter(isOpen).map((one) => one.taskId);
				expect(new Set(open).size).toBe(open.length);
				const answered = questions.filter(
					(one, index) => before.questions[index]?.answer === undefined && one.answer,
				);
				expect(answered).toHaveLength(message.type === 'answer' ? 1 : 0);
				for (const one of before.questions.filter((each) => each.answer)) {
					expect(questions.find(({ id }) => id === one.id)?.answer).toBe(one.answer);
				}
				if (change.execution.state === 'pending_human_input') {
					expect(questions.some(isOpen)).toBe(true);
				}
			}
		});
	});

	it('keeps no checkpoint beyond its end', () => {
		const ended = fc.tuple(history, ending).map(([given, end]) => ({
			...given,
			messages: [...given.messages, end],
		}));
		holds(ended, (given) => {
			const { last } = run(given);
			expect(hasEnded(last)).toBe(true);
			expect(JSON.stringify(last)).not.toContain('CHECKPOINT');
			expect(last.finishedAt).toBeGreaterThan(0);
		});
	});

	it('treats an interrupted task as its `onInterrupt` says, and runs nothing before a person has decided', () => {
		holds(history, (given) => {
			for (const { before, message, change } of run(given).steps) {
				const after = change?.execution;
				if (!after) continue;
				if (isHeldBack(after) && !hasEnded(after)) expect(after.state).toBe('pending_human_input');
				if (message.type !== 'interrupted' && message.type !== 'requeued') continue;
				if (isWaitingForPerson(before)) continue;
				// A task whose question only its own process can continue with counts as interrupted.
				const interrupted = before.tasks.filter(
					({ state, taskId }) =>
						state === 'running' ||
						(state !== 'completed' &&
							state !== 'failed' &&
							questionAbout(before, taskId)?.checkpoint === null),
				);
				const words = interrupted.map((task) => task.onInterrupt);
				expect(after.state === 'failed').toBe(words.includes('fail'));
				if (hasEnded(after)) continue;
				const asked = after.questions.filter((one) => one.isAboutInterruption && isOpen(one));
				const asking = interrupted.filter((task) => task.onInterrupt === 'ask');
				expect(asked.map((one) => one.taskId)).toEqual(
					expect.arrayContaining(asking.map((task) => task.taskId)),
				);
			}
		});
	});

	it('never counts fewer than zero attempts or interruptions', () => {
		holds(history, (given) => {
			const { last } = run(given);
			for (const { attempts, interruptions = 0 } of last.tasks) {
				expect(Math.min(attempts, interruptions)).toBeGreaterThanOrEqual(0);
			}
		});
	});
});
