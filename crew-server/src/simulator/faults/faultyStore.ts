import type { Change } from '../../domain/draft';
import { hasEnded } from '../../domain/execution';
import type { DueCallback } from '../../domain/targets';
import type { Lease, Store, Stored } from '../../store/store';
import { withFaults } from './callbackMark';
import type { ExecutionFaults } from './executionFaults';
import type { Fault } from './fault';
import type { FaultPlan } from './faultPlan';

/** The same store, which takes callbacks together with their planned faults. */
export function faultyStore(store: Store, plan: FaultPlan, executions: ExecutionFaults): Store {
	const callbackFaults = new CallbackFaults(plan, executions);
	const own: Pick<Store, 'create' | 'commit'> = {
		create: async (change, once) => {
			const earlier = await store.create(callbackFaults.plantIn(change), once);
			callbackFaults.forget(change);
			return earlier;
		},
		commit: async (before: Stored, change: Change, lease?: Lease) => {
			const outcome = await store.commit(before, callbackFaults.plantIn(change), lease);
			if (outcome === 'outdated') return outcome;
			callbackFaults.forget(change);
			if (outcome !== 'lost' && hasEnded(change.execution)) executions.forget(change.execution);
			return outcome;
		},
	};
	return new Proxy(store, {
		get: (target, name) => {
			const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
			return typeof value === 'function' ? (value.bind(target) as unknown) : value;
		},
	});
}

class CallbackFaults {
	/** The faults chosen for callbacks that the store has not taken yet: a change may be tried again. */
	private readonly chosen = new Map<string, Fault[]>();

	constructor(
		private readonly plan: FaultPlan,
		private readonly executions: ExecutionFaults,
	) {}

	plantIn(change: Change): Change {
		if (change.callbacks.length === 0) return change;
		const { execution, events } = change;
		const callbacks = change.callbacks.flatMap((one) => withFaults(one, this.choose(change, one)));
		return { execution, events, callbacks };
	}

	forget({ callbacks }: Change): void {
		for (const { id } of callbacks) this.chosen.delete(id);
	}

	private choose({ execution }: Change, { id, kind }: DueCallback): Fault[] {
		const own = this.executions.of(execution);
		const faults = this.chosen.get(id) ?? this.plan.take('callback', kind, own);
		this.chosen.set(id, faults);
		return faults;
	}
}
