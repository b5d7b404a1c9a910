import { FAULT_SORTS, parseFaults, type Fault, type FaultTarget } from './fault';

/** The faults of a deployment that are still to come. */
export class FaultPlan {
	private faults: Fault[] = [];

	constructor(faults: ReadonlyArray<string | Fault> = []) {
		this.set(faults);
	}

	/** Replaces all planned faults; texts are read by {@link parseFaults}. */
	set(faults: ReadonlyArray<string | Fault>): void {
		this.faults = faults.flatMap((fault) =>
			typeof fault === 'string' ? parseFaults(fault) : [{ ...fault }],
		);
	}

	/**
	 * The faults that happen now and here, each of which is counted.
	 *
	 * @param own those of one request or one execution, besides the deployment's
	 * @param isMeant says which of them can happen here at all
	 */
	take(
		target: FaultTarget,
		place: string,
		own: Fault[] = [],
		isMeant: (fault: Fault) => boolean = () => true,
	): Fault[] {
		return [...this.faults, ...own].filter(
			(fault) => isMeant(fault) && happens(fault, target, place),
		);
	}
}

function happens(fault: Fault, target: FaultTarget, place: string): boolean {
	if (FAULT_SORTS[fault.kind].target !== target) return false;
	if (fault.at !== undefined && fault.at !== place) return false;
	// The counters are part of the planned fault.
	if (fault.after !== undefined && fault.after > 0) {
		Object.assign(fault, { after: fault.after - 1 });
		return false;
	}
	if (fault.times === undefined) return true;
	Object.assign(fault, { times: fault.times - 1 });
	return fault.times >= 0;
}
