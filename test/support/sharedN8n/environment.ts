import { createRequire } from 'node:module';
import vm from 'node:vm';
import NodeEnvironment from 'jest-environment-node';

/** Stands for the worker's own context, for which Node has no value. */
const OWN_CONTEXT: vm.Context = {};

const { compileFunction } = vm;
vm.compileFunction = (code, params, options) =>
	compileFunction(
		code,
		params,
		options?.parsingContext === OWN_CONTEXT ? { ...options, parsingContext: undefined } : options,
	);

/** Symbols under which jest keeps in the context what is about one test file. */
const OF_ONE_FILE = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'];

/** `process` as it is before jest puts functions for one test file in the place of two of its own. */
const { exit, getBuiltinModule } = Object.getOwnPropertyDescriptors(process);

// Whichever undici is loaded first sends all requests of `fetch`. One that a test file loads for itself cannot load the
// rest of itself once that file is over, so Node's own comes first.
void fetch('data:,');

/** Of the current test file; `undefined` between two of them. */
let timers: Set<NodeJS.Timeout> | undefined;

const { setTimeout: setTimeoutOfNode } = globalThis;
const setTimeoutAndKeep = (...given: Parameters<typeof setTimeout>) => {
	const timer = setTimeoutOfNode(...given);
	// What a test file leaves behind, such as a wait that is asked about for ever, must not keep jest from its end.
	if (timers) timers.add(timer);
	else timer.unref();
	return timer;
};
globalThis.setTimeout = Object.assign(setTimeoutAndKeep, setTimeoutOfNode);

type Constructor = new (...given: object[]) => unknown;

/**
 * Runs test files in the worker's own context, while jest would make one for each of them. So n8n's packages, which
 * take more than a second to load, are loaded once in a worker (`n8n-core.js`, `n8n-workflow.js`), and a clock that a
 * test fakes is their clock too. All other modules are loaded for each file anew. Globals are not, and neither is
 * `process`: a test file leaves them as they were.
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
