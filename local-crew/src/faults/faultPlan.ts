import { FAULT_SORTS, parseFaults, type Fault, type FaultTarget } from './fault';

/** The faults of a deployment that are still to happen. */
export class FaultPlan {
	private faults: Fault[] = [];

	/** Puts other faults in the place of all that were planned; texts as {@link parseFaults} reads them. */
	set(faults: ReadonlyArray<string | Fault>): void {
		this.faults = faults.flatMap((fault) =>
			typeof fault === 'string' ? parseFaults(fault) : [{ ...fault }],
		);
	}

	/**
	 * The faults that happen now and here; each counts as having happened once more.
	 *
	 * @param own those of one request or one execution, beside the deployment's
	 */
	take(target: FaultTarget, place: string, own: Fault[] = []): Fault[] {
		return [...this.faults, ...own].filter((fault) => happens(fault, target, place));
	}
}

function happens(fault: Fault, target: FaultTarget, place: string): boolean {
	if (FAULT_SORTS[fault.kind].target !== target) return false;
	if (fault.at !== undefined && fault.at !== place) return false;
	if (fault.times === undefined) return true;
	// The count belongs to whoever planned the fault, and is kept where the fault is.
	Object.assign(fault, { times: fault.times - 1 });
	return fault.times >= 0;
}
