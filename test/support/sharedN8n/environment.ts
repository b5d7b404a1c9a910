import { createRequire } from 'node:module';
import vm from 'node:vm';
import NodeEnvironment from 'jest-environment-node';

/** Stands for the worker's own context, for which Node has no object. */
const OWN_CONTEXT: vm.Context = {};

const { compileFunction } = vm;
vm.compileFunction = (code, params, options) =>
	compileFunction(
		code,
		params,
		options?.parsingContext === OWN_CONTEXT ? { ...options, parsingContext: undefined } : options,
	);

/** Symbols under which jest keeps the state of one test file in the context. */
const OF_ONE_FILE = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'];

/** Two functions of `process` before jest replaces them for a test file. */
const { exit, getBuiltinModule } = Object.getOwnPropertyDescriptors(process);

// The undici that is loaded first sends all requests of `fetch`. One that a test file loads cannot load its remaining
// modules after that file, so Node's own is loaded first.
void fetch('data:,');

/** Timers of the current test file; `undefined` between two files. */
let timers: Set<NodeJS.Timeout> | undefined;

const { setTimeout: setTimeoutOfNode } = globalThis;
const setTimeoutAndKeep = (...given: Parameters<typeof setTimeout>) => {
	const timer = setTimeoutOfNode(...given);
	// Timers that a test file leaves behind, for example for polling forever, must not keep jest from ending.
	if (timers) timers.add(timer);
	else timer.unref();
	return timer;
};
globalThis.setTimeout = Object.assign(setTimeoutAndKeep, setTimeoutOfNode);

type Constructor = new (...given: object[]) => unknown;

/**
 * Runs test files in the worker's own context instead of a new one for each. This way, n8n's packages, which take
 * more than a second to load, are loaded once in a worker (`n8n-core.js`, `n8n-workflow.js`), and a fake clock of a
 * test also applies to them. All other modules are loaded again for each file. Globals and `process` are shared: a
 * test file has to leave them as they were.
 */
export default class SharedN8nEnvironment extends NodeEnvironment {
	constructor(...given: ConstructorParameters<typeof NodeEnvironment>) {
		super(...given);
		const [{ projectConfig: config }] = given;
		const FakeTimers = this.fakeTimersModern!.constructor as Constructor;
		const ModuleMocker = this.moduleMocker!.constructor as Constructor;
		const global = Object.assign(globalThis, { requireOnce: createRequire(__filename) });
		Object.assign(this, {
			global,
			fakeTimersModern: new FakeTimers({ config, global }),
			moduleMocker: new ModuleMocker(global),
		});
	}

	override async setup(): Promise<void> {
		await super.setup();
		timers = new Set();
	}

	override async teardown(): Promise<void> {
		for (const key of Object.getOwnPropertySymbols(globalThis)) {
			if (OF_ONE_FILE.includes(key.description ?? '')) Reflect.deleteProperty(globalThis, key);
		}
		Object.defineProperties(process, { exit, getBuiltinModule });
		timers?.forEach((timer) => timer.unref());
		timers = undefined;
		await super.teardown();
	}

	override getVmContext(): vm.Context {
		return OWN_CONTEXT;
	}
}
