import fc from 'fast-check';
import {
	hasEnded,
	isHeldBack,
	isOpen,
	isWaitingForPerson,
	questionAbout,
} from '../../crew-server/src/domain/execution';
import type { Change } from '../../crew-server/src/domain/draft';
import type { CallbackKind } from '../../crew-server/src/domain/targets';
import { ending, history, run, URL, type Step } from './support/histories';
import { holds } from './support/property';

/** A callback's kind, its URL, and what it is about. */
type Sent = readonly [kind: string, url: string | undefined, about: string];

/** What must be called for a step: once for the crew's completion, each completed task, and each question that is asked. */
function dueFor({ before, message, change }: Step & { change: Change }): Sent[] {
	const { state, tasks, questions, callbacks } = change.execution;
	const isDone = ({ taskId, state: now }: (typeof tasks)[number], index: number) =>
		message.type === 'task_done'
			? taskId === message.taskId
			: message.type === 'answer' &&
				now === 'completed' &&
				before.tasks[index]?.state !== 'completed';
	const isAsked = ({ id, taskId }: (typeof questions)[number]) =>
		!before.questions.some((one) => one.id === id) ||
		(message.type === 'question' && taskId === message.taskId && id === openIdOf(taskId));
	const openIdOf = (taskId: string) =>
		questions.find((one) => one.taskId === taskId && isOpen(one))?.id;
	const due: Sent[] = [
		...(state === 'completed' ? [['crew', callbacks.crewWebhookUrl, ''] as const] : []),
		...tasks
			.filter(isDone)
			.map(({ taskId }) => ['task', callbacks.taskWebhookUrl, taskId] as const),
		...questions
			.filter(isAsked)
			.flatMap(({ id }) => [
				['human_input', callbacks.humanInputWebhook?.url, String(id)] as const,
				['human_input', callbacks.humanInputWebhookUrl, String(id)] as const,
			]),
	];
	return due.filter(([, url]) => url !== undefined);
}

/** The field that says what a callback of a kind is about. */
const ABOUT: Partial<Record<CallbackKind, string>> = {
	crew: '',
	task: 'name',
	human_input: 'question_id',
};

function sentBy({ callbacks }: Change): Sent[] {
	return callbacks.flatMap(({ kind, url, body }) => {
		const field = ABOUT[kind];
		if (field === undefined) return [];
		const about = body[field];
		return [[kind, url, typeof about === 'string' ? about : ''] as const];
	});
}

const isIn = (sent: Sent[], question: number) =>
	sent.some(([kind, , about]) => kind === 'human_input' && about === String(question));

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

	it('sends one callback for its completion, for each completed task and for each question, to each URL', () => {
		holds(history, (given) => {
			const { first, steps } = run(given);
			expect(sentBy(first)).toEqual([]);
			for (const step of steps) {
				const { before, change } = step;
				if (!change) continue;
				const sent = sentBy(change);
				expect(sent.toSorted()).toEqual(dueFor({ ...step, change }).toSorted());
				// The same question may be asked again, but only before its answer.
				const repeated = before.questions.filter(({ id, answer }) => answer && isIn(sent, id));
				expect(repeated).toEqual([]);
			}
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
