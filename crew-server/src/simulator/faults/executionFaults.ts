import { hasEnded, type Execution } from '../../domain/execution';
import type { Fault } from './fault';

/** What is kept with an execution that was started with its own faults. */
export interface FaultsExtension {
	faults: Fault[];
}

/** The faults of single executions that are still to come. Only this process knows what has happened. */
export class ExecutionFaults {
	private readonly faults = new Map<string, Fault[]>();

	/** The faults of an execution. Their counters change in place. */
	of(execution: Execution): Fault[] {
		return this.faults.get(keyOf(execution)) ?? this.keep(execution, faultsIn(execution));
	}

	add(execution: Execution, faults: readonly Fault[]): void {
		this.keep(execution, [...this.of(execution), ...faults]);
	}

	forget(execution: Execution): void {
		this.faults.delete(keyOf(execution));
	}

	private keep(execution: Execution, faults: Fault[]): Fault[] {
		if (faults.length > 0 && !hasEnded(execution)) this.faults.set(keyOf(execution), faults);
		return faults;
	}
}

/** A key that stays the same under a new identifier. */
function keyOf({ kickoffId, begunAs = kickoffId }: Execution): string {
	return begunAs;
}

function faultsIn({ extension }: Execution): Fault[] {
	const { faults = [] } = (extension ?? {}) as Partial<FaultsExtension>;
	return faults.map((fault) => ({ ...fault }));
}
