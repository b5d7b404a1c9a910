import type { Seen } from './crews';
import { ENDS, endOf, type End, type Kind } from './kinds';
import type { Report } from './workflows';

/** One operation with everything that was reported about it. */
export interface Operation {
	/** Also the topic of its crew. */
	name: string;
	kind: Kind;
	reports: Report[];
}

/** How many operations of one kind ended in which way. */
export interface Account {
	kind: string;
	started: number;
	ends: Record<End, number>;
	unknown: number;
}

/** Knows every operation that was started, and how it ended. */
export class Accounts {
	private readonly operations = new Map<string, Operation>();
	private readonly waiting = new Map<string, () => void>();
	private readonly strays: Report[] = [];

	begin(kind: Kind): Operation {
		const operation = { name: `operation ${this.operations.size + 1}`, kind, reports: [] };
		this.operations.set(operation.name, operation);
		return operation;
	}

	take(report: Report): void {
		const operation = this.operations.get(report.operation);
		if (operation) operation.reports.push(report);
		else this.strays.push(report);
		this.waiting.get(report.operation)?.();
	}

	/** Waits for an operation's report, at most this many milliseconds. */
	async ended({ name, reports }: Operation, within: number): Promise<void> {
		if (reports.length > 0) return;
		let timer: NodeJS.Timeout | undefined;
		await new Promise<void>((resolve) => {
			this.waiting.set(name, resolve);
			timer = setTimeout(resolve, within);
		});
		clearTimeout(timer);
		this.waiting.delete(name);
	}

	count(): { started: number; ended: number } {
		const all = [...this.operations.values()];
		return { started: all.length, ended: all.filter(({ reports }) => reports.length > 0).length };
	}

	/** Whether this operation's report says that a request failed. */
	wasRefused(name: string): boolean {
		const [report] = this.operations.get(name)?.reports ?? [];
		return report !== undefined && endOf(report) === 'refused';
	}

	startedOf(isWanted: (kind: Kind) => boolean): number {
		return [...this.operations.values()].filter(({ kind }) => isWanted(kind)).length;
	}

	/** One account for each kind of operation. */
	byKind(): Account[] {
		const byKind = new Map<string, Account>();
		for (const { kind, reports } of this.operations.values()) {
			const account = byKind.get(kind.name) ?? newAccount(kind.name);
			byKind.set(kind.name, account);
			account.started += 1;
			const end = reports[0] && endOf(reports[0]);
			if (end) account.ends[end] += 1;
			else account.unknown += 1;
		}
		return [...byKind.values()];
	}

	/** The problems, in words; compares the operations with what the crews know. */
	problems(seen: Iterable<Seen>): string[] {
		const byTopic = new Map<string, Seen[]>();
		for (const one of seen) byTopic.set(one.topic, [...(byTopic.get(one.topic) ?? []), one]);
		const strange = [...byTopic.keys()].filter((topic) => !this.operations.has(topic));
		return [
			...strange.map((topic) => `A crew was started for "${topic}", which belongs to no operation`),
			...this.strays.map((report) => `There is no operation for ${JSON.stringify(report)}`),
			...[...this.operations.values()].flatMap((operation) =>
				problemsOf(operation, byTopic.get(operation.name) ?? []).map(
					(problem) => `${operation.name} (${operation.kind.name}) ${problem}`,
				),
			),
		];
	}
}

function newAccount(kind: string): Account {
	const ends = Object.fromEntries(ENDS.map((end) => [end, 0])) as Record<End, number>;
	return { kind, started: 0, ends, unknown: 0 };
}

function problemsOf({ kind, reports }: Operation, crews: readonly Seen[]): string[] {
	const [report] = reports;
	if (!report) return ['has no end'];
	const end = endOf(report);
	const problems: string[] = [];
	if (reports.length > 1) problems.push(`has ended ${reports.length} times`);
	if (end === undefined || !kind.ends.includes(end)) {
		problems.push(`has ended as ${JSON.stringify(report.item)}`);
	}
	// A refused kickoff may have reached the crew or not, as its message says.
	if (crews.length > 1 || (crews.length === 0 && end !== 'refused')) {
		problems.push(`has started ${crews.length} crews`);
	}
	for (const { state, kickoffId } of crews) {
		if (!kind.crewEnds.includes(state)) problems.push(`has left its crew ${kickoffId} ${state}`);
	}
	return problems;
}
