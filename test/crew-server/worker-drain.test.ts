import type { Report } from '../../crew-server/src/domain/messages';
import { noLog } from '../../crew-server/src/log';
import { openStore } from '../../crew-server/src/store/openStore';
import type { Store } from '../../crew-server/src/store/store';
import { Worker } from '../../crew-server/src/worker/worker';
import { kickOffIn, Puppet, stateIn } from './support/puppet';
import { until } from './support/until';

const begun = (taskId: string): Report => ({ type: 'task_begun', taskId });
const done = (taskId: string): Report => ({ type: 'task_done', taskId, output: 'A text' });

let store: Store;
let engine: Puppet;
let worker: Worker;

beforeEach(async () => {
	store = await openStore({});
	engine = new Puppet();
	worker = new Worker({ store, engine, log: noLog });
	worker.start();
});
afterEach(async () => {
	await worker.close();
	await store.close();
});

it('a drained worker lets a task end, leaves the rest to others, and claims nothing more', async () => {
	const id = await kickOffIn(store);
	await until(() => engine.runs.length === 1);
	const [run] = engine.runs;
	await run?.report(begun('draft'));
	const drained = worker.drain();
	const other = await kickOffIn(store);
	expect(await run?.report({ type: 'checkpoint', checkpoint: {} })).toBe(true);
	expect(engine.ended).toBe(0);
	expect(await run?.report(done('draft'))).toBe(false);
	await drained;
	const { execution } = (await store.get(id))!;
	expect(execution.state).toBe('queued');
	expect(execution.tasks).toMatchObject([
		{ state: 'completed', attempts: 1 },
		{ state: 'waiting', attempts: 0 },
	]);
	expect(execution.tasks.some(({ interruptions = 0 }) => interruptions > 0)).toBe(false);
	expect(await stateIn(store, other)).toBe('queued');
});

it('a drained worker waits for tasks that run at the same time', async () => {
	const id = await kickOffIn(store);
	await until(() => engine.runs.length === 1);
	const [run] = engine.runs;
	await run?.report(begun('draft'), begun('edit'));
	const drained = worker.drain();
	expect(await run?.report(done('draft'))).toBe(true);
	expect(await stateIn(store, id)).toBe('running');
	await engine.over(done('edit'), { type: 'crew_done' });
	await drained;
	expect(await stateIn(store, id)).toBe('completed');
});

it('a drained worker waits for work that nobody else can continue', async () => {
	engine.isBound = true;
	const id = await kickOffIn(store);
	await until(() => engine.runs.length === 1);
	const drained = worker.drain();
	expect(await engine.runs[0]?.report(begun('draft'), done('draft'))).toBe(true);
	await engine.over(begun('edit'), done('edit'), { type: 'crew_done' });
	await drained;
	expect(await stateIn(store, id)).toBe('completed');
});
