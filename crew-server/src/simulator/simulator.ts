import type { FastifyInstance, FastifyPluginCallback } from 'fastify';

import { lookUp, type Wanted } from '../api/commands';
import type { Sender } from '../delivery/post';
import type { Store } from '../store/store';
import { ExecutionFaults } from './faults/executionFaults';
import type { Fault } from './faults/fault';
import { FaultPlan } from './faults/faultPlan';
import { faultySender } from './faults/faultySender';
import { faultyStore } from './faults/faultyStore';
import { addRequestFaults } from './http/requestFaults';
import { RequestLog, type RequestRecord } from './http/requestLog';
import type { WorkFaults } from './played/settings';

export interface SimulatorSettings {
	store: Store;
	/** Faults that happen from the start. */
	faults?: ReadonlyArray<string | Fault>;
	/** Whether clients may ask for faults themselves, with a header. */
	takesHeader: boolean;
	/** How many requests are remembered; default 1,000. */
	remembered?: number;
}

/** What tests of clients need from a deployment: faults, and a list of requests. */
export interface Simulator {
	/** The faults of the whole deployment. */
	readonly plan: FaultPlan;
	/** The store to write to: it takes callbacks together with their faults. */
	readonly store: Store;
	/** Applies their faults to callbacks as they are sent. */
	readonly sender: (post: Sender) => Sender;
	/** The faults of a played crew's work. */
	readonly workFaults: WorkFaults;
	/** Records every request. */
	readonly recorder: FastifyPluginCallback;
	/** Applies faults to requests; it belongs to the routes of the API, after the check of tokens. */
	readonly plugin: FastifyPluginCallback;
	/** The newest requests, the oldest first. */
	requests(): readonly RequestRecord[];
	/** Calls the listener for each request, when it comes in and when it is answered. @returns a function that ends this */
	onRequest(listener: () => void): () => void;
}

/** @throws {Error} saying which faults can be given */
export function simulate({
	store,
	faults,
	takesHeader,
	remembered = 1_000,
}: SimulatorSettings): Simulator {
	const plan = new FaultPlan(faults);
	const executions = new ExecutionFaults();
	const log = new RequestLog(remembered);
	const onResume = async (wanted: Wanted, own: readonly Fault[]) => {
		const stored = await lookUp({ store }, wanted);
		if (stored) executions.add(stored.execution, own);
	};
	return {
		plan,
		store: faultyStore(store, plan, executions),
		sender: faultySender,
		workFaults: (execution, taskId, isMeant) =>
			plan.take('work', taskId, executions.of(execution), isMeant),
		recorder: plugin((app) => {
			log.record(app);
		}),
		plugin: plugin((app) => {
			addRequestFaults(app, { plan, takesHeader, onResume });
		}),
		requests: () => log.all(),
		onRequest: (listener) => log.onChange(listener),
	};
}

/** A plugin whose hooks apply to the instance that it is added to. */
function plugin(add: (app: FastifyInstance) => void): FastifyPluginCallback {
	const added: FastifyPluginCallback = (app, _options, done) => {
		add(app);
		done();
	};
	return Object.assign(added, { [Symbol.for('skip-override')]: true });
}
