import type { Command, Report } from '../../crew-server/src/domain/messages';
import { transition } from '../../crew-server/src/domain/transition';
import { noLog } from '../../crew-server/src/log';
import { openStore } from '../../crew-server/src/store/openStore';
import { LEASE_TIME, StoreUnavailable, type Store } from '../../crew-server/src/store/store';
import { Worker } from '../../crew-server/src/worker/worker';
import { kickOffIn, Puppet, stateIn } from './support/puppet';
import { until } from './support/until';

let store: Store;
let engine: Puppet;
let worker: Worker;

function begin(settings: { parallel?: number; patience?: number } = {}): void {
	engine = new Puppet(settings.parallel);
	worker = new Worker({ store, engine, log: noLog, patience: settings.patience });
	worker.start();
}

const kickOff = async () => await kickOffIn(store);
const stateOf = async (id: string) => await stateIn(store, id);

/** Tries again while others are faster, as the API does. */
async function command(id: string, given: Command): Promise<void> {
	const stored = (await store.get(id))!;
	const taken = await store.commit(stored, transition(stored.execution, given, Date.now())!);
	if (taken === 'outdated') await command(id, given);
}

const APPROVAL = { type: 'answer', feedback: '', isApprove: true, callbacks: {} } as const;
const question = (taskId: string, checkpoint: unknown = {}): Report => ({
	type: 'question',
	taskId,
	output: 'A text',
	checkpoint,
});

beforeEach(async () => {
	store = await openStore({});
});
afterEach(async () => {
	await worker.close();
	await store.close();
});

it('claims executions while there is room, the oldest first', async () => {
	begin({ parallel: 1 });
	const [first, second] = [await kickOff(), await kickOff()];
	await until(() => engine.runs.length === 1);
	expect([await stateOf(first), await stateOf(second)]).toEqual(['running', 'queued']);
	await engine.over({ type: 'crew_done', result: { output: 'Done' } });
	await until(() => engine.runs.length === 2);
	expect([await stateOf(first), await stateOf(second)]).toEqual(['completed', 'running']);
});

it('begins at once what is kicked off while it has room, and never more than that', async () => {
	begin({ parallel: 2 });
	const claim = jest.spyOn(store, 'claim');
	await until(() => claim.mock.calls.length > 0 && Reflect.get(worker, 'claiming') === undefined);
	claim.mockClear();
	const first = await kickOff();
	expect([await stateOf(first), engine.runs.length]).toEqual(['running', 1]);
	expect(claim).not.toHaveBeenCalled();
	const others = await Promise.all([kickOff(), kickOff(), kickOff()]);
	await until(() => engine.runs.length === 2);
	const states = await Promise.all(others.map(stateOf));
	expect(states.toSorted()).toEqual(['queued', 'queued', 'running']);
});

it('acknowledges a report once the store has it, and retries while it cannot be written', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	const commit = jest
		.spyOn(store, 'commit')
		.mockRejectedValueOnce(new StoreUnavailable('the disk is full'));
	const isTaken = await engine.runs[0]!.report({ type: 'task_begun', taskId: 'draft' });
	expect([isTaken, commit.mock.calls.length]).toEqual([true, 2]);
	expect((await store.get(id))?.execution.tasks[0]).toMatchObject({
		state: 'running',
		attempts: 1,
	});
	commit.mockRestore();
});

it('lets work end by itself if its end is stored by the time of the next lease renewal', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	const commit = store.commit.bind(store);
	let answer: () => void = () => undefined;
	const held = new Promise<void>((resolve) => (answer = resolve));
	jest.spyOn(store, 'commit').mockImplementationOnce(async (...change) => {
		const outcome = await commit(...change);
		await held;
		return outcome;
	});
	const told = engine.runs[0]!.report({ type: 'crew_done', result: { output: 'Done' } });
	await until(async () => (await stateOf(id)) === 'completed');
	// Renews all leases first.
	const renew = jest.spyOn(store, 'renew');
	const drained = worker.drain();
	await until(() => renew.mock.calls.length === 1);
	await renew.mock.results[0]!.value;
	answer();
	expect(await told).toBe(true);
	expect(engine.ended).toBe(0);
	await engine.over();
	await drained;
});

it('gives up work that the store does not take in time, and starts it again later', async () => {
	begin({ patience: 50 });
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	await engine.runs[0]!.report({ type: 'task_begun', taskId: 'draft' });
	jest.spyOn(store, 'commit').mockRejectedValueOnce(new StoreUnavailable('full'));
	expect(await engine.runs[0]!.report({ type: 'task_done', taskId: 'draft', output: 'x' })).toBe(
		false,
	);
	expect(engine.ended).toBe(1);
	expect((await store.get(id))?.execution.tasks[0]?.state).toBe('running');
	await kickOff();
	await until(async () => (await store.get(id))?.execution.tasks[0]?.interruptions === 1);
	await until(() => engine.runs.filter(({ execution }) => execution.kickoffId === id).length === 2);
});

it('ends work that a client stops, and accepts no more reports from it', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	await command(id, { type: 'stop' });
	await until(() => engine.ended === 1);
	expect(await engine.runs[0]!.report({ type: 'task_begun', taskId: 'draft' })).toBe(false);
	expect(await stateOf(id)).toBe('stopped');
});

it('passes an answer on to running work, and starts again for one that comes later', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	const run = engine.runs[0]!;
	await run.report({ type: 'task_begun', taskId: 'draft' }, question('draft'));
	await run.report({ type: 'task_begun', taskId: 'edit' });
	await command(id, { ...APPROVAL, taskId: 'draft' });
	await until(() => engine.answers.length === 1);
	expect(engine.answers).toEqual(['draft']);
	await run.report({ type: 'task_done', taskId: 'draft', output: 'A text' });
	await run.report(question('edit'));
	await engine.over({ type: 'paused' });
	await until(async () => (await stateOf(id)) === 'pending_human_input');
	await command(id, { ...APPROVAL, taskId: 'edit' });
	await until(() => engine.runs.length === 2);
	expect(engine.runs[1]!.execution.questions.at(-1)).toMatchObject({
		taskId: 'edit',
		checkpoint: {},
		answer: { isApprove: true },
	});
});

it('continues with an answer that came while the work was about to pause', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	await engine.runs[0]!.report({ type: 'task_begun', taskId: 'draft' }, question('draft'));
	const commit = store.commit.bind(store);
	jest.spyOn(store, 'commit').mockImplementationOnce(async (...pause) => {
		await command(id, { ...APPROVAL, taskId: 'draft' });
		return await commit(...pause);
	});
	await engine.over({ type: 'paused' });
	await until(() => engine.runs.length === 2);
	expect(engine.runs[1]!.execution.questions[0]?.answer).toMatchObject({ isApprove: true });
	// The paused run is over by now, and does not affect the new one.
	await new Promise((resolve) => setImmediate(resolve));
	await command(id, { type: 'stop' });
	await until(() => engine.ended === 1);
});

it('does not restart work that was cut off after a blocking question', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	await engine.runs[0]!.report(
		{ type: 'task_begun', taskId: 'draft' },
		{ type: 'question', taskId: 'draft', output: 'A text', checkpoint: {}, isBlocking: true },
	);
	// The run ends with neither a pause nor an end.
	await engine.over();
	await until(async () => (await stateOf(id)) === 'pending_human_input');
	expect((await store.get(id))?.execution.tasks[0]).toMatchObject({ attempts: 1 });
	await command(id, { ...APPROVAL, taskId: 'draft' });
	await until(() => engine.runs.length === 2);
	await engine.over();
	// The answer has not been acted on, so the work starts again.
	await until(() => engine.runs.length === 3);
	expect(engine.runs[2]!.execution.tasks[0]).toMatchObject({ interruptions: 1 });
});

it('passes on a client’s change that happens during the claim', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	const run = engine.runs[0]!;
	await run.report({ type: 'task_begun', taskId: 'draft' }, question('draft'));
	await run.report({ type: 'task_begun', taskId: 'edit' }, question('edit'));
	await engine.over({ type: 'paused' });
	await command(id, { ...APPROVAL, taskId: 'draft' });
	// The claim is written in the same transaction as this.
	await command(id, { ...APPROVAL, taskId: 'edit' });
	await until(() => engine.runs.length === 2);
	await until(() => engine.runs[1]!.execution.questions.every(({ answer }) => answer));
});

it('lets work end by itself after it has reported its end, even while leases are renewed', async () => {
	jest.useFakeTimers({ doNotFake: ['setImmediate', 'setTimeout', 'nextTick', 'performance'] });
	begin();
	await kickOff();
	await until(() => engine.runs.length === 1);
	await engine.runs[0]!.report({ type: 'crew_done', result: { output: 'Done' } });
	const renew = jest.spyOn(store, 'renew');
	jest.advanceTimersByTime(LEASE_TIME);
	await until(() => renew.mock.calls.length > 0);
	await Promise.all(renew.mock.results.map(({ value }) => value as Promise<unknown>));
	await new Promise((resolve) => setImmediate(resolve));
	expect(engine.ended).toBe(0);
	jest.useRealTimers();
});

it('follows an execution to a new identifier', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	const run = engine.runs[0]!;
	await run.report({ type: 'task_begun', taskId: 'draft' }, question('draft'));
	await command(id, { ...APPROVAL, taskId: 'draft', newId: 'another' });
	await until(() => run.execution.kickoffId === 'another');
	expect(await run.report({ type: 'event', name: 'mine', data: {} })).toBe(true);
	expect((await store.events('another', 0, 10)).map(({ type }) => type)).toEqual(['mine']);
	expect(await store.get(id)).toBeUndefined();
});

it('leaves its work to the next worker, without an interruption if it is closed', async () => {
	begin();
	const id = await kickOff();
	await until(() => engine.runs.length === 1);
	await engine.runs[0]!.report({ type: 'task_begun', taskId: 'draft' });
	await worker.close();
	expect((await store.get(id))?.execution).toMatchObject({
		state: 'queued',
		tasks: [{ state: 'waiting', attempts: 0 }, {}],
	});
	begin();
	await until(() => engine.runs.length === 1);
	expect(engine.runs[0]!.execution.tasks[0]?.interruptions).toBeUndefined();
});
