import {
	hasEnded,
	statusOf,
	type Execution,
	type ExecutionState,
	type Owner,
	type Status,
	type Task,
} from '../domain/execution';
import type { ExecutionTable } from './executionTable';
import type { Sqlite } from './sqlite';
import type { Query, Summary } from './store';

/** How many executions are looked at for one answer: others have their turn in between. */
const LOOKED_AT = 2_000;
/** Characters of the inputs and of `meta` that are searched, and those of inputs that are told. */
const SEARCHED = 20_000;
const TOLD = 500;

interface Row {
	key: number;
	kickoff_id: string;
	version: number;
	state: ExecutionState;
	owner: Owner;
	started_at: number;
	finished_at: number | null;
}

type Value = string | number;

/** Finds executions, and reads no more of each than is told in short. */
export class ExecutionSearch {
	constructor(
		private readonly sqlite: Sqlite,
		private readonly executions: ExecutionTable,
	) {}

	find(query: Query): { found: Summary[]; next?: number } {
		const { text = '', limit, status } = query;
		// What the columns do not tell may be of any of them.
		const isSeen = text === '' && (status === undefined || hasEnded({ state: status }));
		const most = isSeen ? limit : LOOKED_AT;
		const looked = this.candidates(query, most);
		const fits = text === '' ? () => true : this.withText(text);
		const found: Summary[] = [];
		for (const row of looked) {
			const summary = fits(row) ? this.summaryOf(row) : undefined;
			if (!summary || (status !== undefined && summary.status !== status)) continue;
			found.push(summary);
			if (found.length === limit) return { found, next: row.key };
		}
		return { found, next: looked.length < most ? undefined : looked.at(-1)?.key };
	}

	/** What the columns tell of a query. */
	private candidates({ before, status, owner, from, to }: Query, most: number): Row[] {
		const states = status ? statesOf(status) : [];
		const conditions: Array<[string, Value[]]> = [
			['key < ?', before === undefined ? [] : [before]],
			['owner = ?', owner === undefined ? [] : [owner]],
			['started_at >= ?', from === undefined ? [] : [from]],
			['started_at < ?', to === undefined ? [] : [to]],
			[`state IN (${states.map(() => '?').join()})`, states],
		];
		const given = conditions.filter(([, values]) => values.length > 0);
		const values = given.flatMap((one) => one[1]);
		let place = 0;
		const where = given
			.map(([condition]) => condition.replaceAll('?', () => `$${(place += 1)}`))
			.join(' AND ');
		return this.sqlite.all(
			`SELECT key, kickoff_id, version, state, owner, started_at, finished_at FROM executions
			${where && `WHERE ${where}`} ORDER BY key DESC LIMIT $${place + 1}`,
			...values,
			most,
		) as Row[];
	}

	/** Texts are kept as JSON, which has its own way to write some characters. */
	private withText(text: string): (row: Row) => boolean {
		const inJson = JSON.stringify(text).slice(1, -1).toLowerCase();
		return ({ key, kickoff_id }) => {
			if (kickoff_id.includes(text.trim().toLowerCase())) return true;
			const parts = this.sqlite.all(
				`SELECT SUBSTR(value, 1, $2) AS text FROM parts WHERE key = $1 AND name IN ('inputs', 'meta')`,
				key,
				SEARCHED,
			) as Array<{ text: string }>;
			return parts.some((part) => part.text.toLowerCase().includes(inJson));
		};
	}

	/** Of what goes on, it takes the whole execution, which is at hand; of what has ended, its outputs are not read. */
	private summaryOf(row: Row): Summary | undefined {
		const { key, kickoff_id: kickoffId, version, state, owner, started_at: startedAt } = row;
		const facts = { key, kickoffId, owner, startedAt, finishedAt: row.finished_at ?? undefined };
		if (!hasEnded({ state })) {
			const execution = this.executions.read(key, version)?.execution;
			return execution && { ...facts, ...briefly(execution, JSON.stringify(execution.inputs)) };
		}
		try {
			return { ...facts, ...briefly({ ...this.headOf(key), state }, this.inputsOf(key)) };
		} catch {
			// The table tells of those that cannot be read.
			return undefined;
		}
	}

	private inputsOf(key: number): string {
		const row = this.sqlite.get(
			`SELECT SUBSTR(value, 1, $2) AS value FROM parts WHERE key = $1 AND name = 'inputs'`,
			key,
			TOLD + WRAPPED.length,
		) as { value: string } | undefined;
		const { value = '' } = row ?? {};
		return value.slice(WRAPPED.length, value.length > TOLD ? undefined : -1);
	}

	/** What is small. */
	private headOf(key: number): Pick<Execution, 'tokenUsage' | 'error' | 'tasks' | 'questions'> {
		const { data } = this.sqlite.get('SELECT data FROM executions WHERE key = $1', key) as {
			data: string;
		};
		const tasks = this.sqlite.all(
			`SELECT value FROM parts WHERE key = $1 AND name LIKE 'tasks.%.'`,
			key,
		) as Array<{ value: string }>;
		const head = JSON.parse(data) as Pick<Execution, 'tokenUsage' | 'error'>;
		return { ...head, tasks: tasks.map(({ value }) => JSON.parse(value) as Task), questions: [] };
	}
}

/** What stands before the inputs in their part. */
const WRAPPED = '{"inputs":';

function briefly(
	execution: Pick<Execution, 'state' | 'tokenUsage' | 'error' | 'questions'> & {
		tasks: ReadonlyArray<Pick<Task, 'state'>>;
	},
	inputs: string,
): Omit<Summary, 'key' | 'kickoffId' | 'owner' | 'startedAt'> {
	const { tokenUsage, error, tasks } = execution;
	return {
		status: statusOf(execution),
		inputs: inputs.slice(0, TOLD),
		tokenUsage,
		tasks: {
			completed: tasks.filter(({ state }) => state === 'completed').length,
			all: tasks.length,
		},
		error: error?.slice(0, TOLD),
	};
}

/** A question may be open while others work. */
function statesOf(status: Status): ExecutionState[] {
	if (status === 'running') return ['queued', 'running'];
	if (status === 'pending_human_input') return ['queued', 'running', 'pending_human_input'];
	return [status];
}
