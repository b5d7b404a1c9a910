import type { Child, ChildExit, Children } from '../../crew-server/src/worker/crewai/children';
import { WarmPool } from '../../crew-server/src/worker/crewai/warmPool';
import { until } from './support/until';

/** Children that do nothing until the test says so. */
class IdleChildren {
	readonly started: Array<{ child: Child; callModel: () => void; exit: () => void }> = [];

	start(): Child {
		let callModel: () => void = () => undefined;
		let exit: () => void = () => undefined;
		const exited = new Promise<ChildExit>((resolve) => {
			exit = () => {
				resolve({ code: 1, signal: null, lines: [], isHostGone: false, isEnded: false });
			};
		});
		const calling = new Promise<void>((resolve) => (callModel = resolve));
		const underWay = Promise.race([calling, exited]);
		const child = { send: jest.fn(), isLost: false, exited, underWay } as unknown as Child;
		this.started.push({ child, callModel, exit });
		return child;
	}
}

describe('the pool of warm children', () => {
	let children: IdleChildren;
	let pool: WarmPool;

	beforeEach(() => {
		children = new IdleChildren();
		pool = new WarmPool(children as unknown as Children, true);
	});

	const settled = async () => await new Promise((resolve) => setImmediate(resolve));

	it('gives the ready child, and prepares the next one once that one calls its model', async () => {
		const [ready] = children.started;
		expect(pool.take()).toBe(ready!.child);
		await settled();
		expect(children.started).toHaveLength(1);
		ready!.callModel();
		await settled();
		expect(children.started).toHaveLength(2);
		expect(pool.take()).toBe(children.started[1]!.child);
	});

	it('prepares one if the child ends before that, and only one for several at once', async () => {
		pool.take();
		pool.take();
		expect(children.started).toHaveLength(2);
		for (const { exit } of children.started) exit();
		await settled();
		expect(children.started).toHaveLength(3);
	});

	it('prepares one within about a second if no model is called', async () => {
		pool.take();
		await until(() => children.started.length === 2);
	});

	it('does not give a child that has ended', async () => {
		children.started[0]!.exit();
		await settled();
		expect(pool.take()).toBe(children.started[1]!.child);
	});
});
