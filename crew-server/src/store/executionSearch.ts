import { setImmediate as othersTurn } from 'node:timers/promises';

import {
	statusOf,
	type Execution,
	type ExecutionState,
	type Owner,
	type Status,
	type Task,
} from '../domain/execution';
import { all, allEach, get, type Sql } from './sql';
import type { Query, Summary } from './store';

/** How many executions are searched for one answer, and at once: others get their turn in between. */
const LOOKED_AT = 2_000;
const AT_ONCE = 50;
/** Characters of the inputs and of `meta` that are searched, and characters of the inputs in a summary. */
const SEARCHED = 20_000;
const TOLD = 500;

interface Row {
	key: number;
	kickoff_id: string;
	state: ExecutionState;
	owner: Owner;
	started_at: number;
	finished_at: number | null;
}

type Value = string | number;

interface Found {
	found: Summary[];
	next?: number;
}

/** Finds executions, and reads only what a summary needs. */
export class ExecutionSearch {
	/** @param read from the database */
	constructor(private readonly read: <T>(work: () => Sql<T>) => Promise<T>) {}

	async find(query: Query): Promise<Found> {
		const found: Summary[] = [];
		let next = query.before;
		for (let looked = 0; looked < LOOKED_AT; looked += AT_ONCE) {
			const rest = { ...query, before: next, limit: query.limit - found.length };
			const some = await this.read(() => this.some(rest));
			found.push(...some.found);
			next = some.next;
			if (next === undefined || found.length === query.limit) break;
			await othersTurn();
		}
		return { found, next };
	}

	private *some(query: Query): Sql<Found> {
		const { text = '', limit, status } = query;
		const looked = yield* this.candidates(query, AT_ONCE);
		const found: Summary[] = [];
		for (const row of text === '' ? looked : yield* this.withText(looked, text)) {
			const summary = yield* this.summaryOf(row);
			// The columns do not say whether there is an open question.
			if (!summary || (status !== undefined && summary.status !== status)) continue;
			found.push(summary);
			if (found.length === limit) return { found, next: row.key };
		}
		return { found, next: looked.length < AT_ONCE ? undefined : looked.at(-1)?.key };
	}

	/** The rows that match a query by their columns. */
	private *candidates({ before, status, owner, from, to }: Query, most: number): Sql<Row[]> {
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
		return (yield* all(
			`SELECT key, kickoff_id, state, owner, started_at, finished_at FROM executions
			${where && `WHERE ${where}`} ORDER BY key DESC LIMIT $${place + 1}`,
			...values,
			most,
		)) as Row[];
	}

	/** Searches in JSON, which writes some characters in its own way. */
	private *withText(rows: readonly Row[], text: string): Sql<Row[]> {
		const inJson = JSON.stringify(text).slice(1, -1).toLowerCase();
		const parts = yield* allEach(
			`SELECT SUBSTR(value, 1, $2) AS text FROM parts WHERE key = $1 AND name IN ('inputs', 'meta')`,
			rows.map(({ key }) => [key, SEARCHED]),
		);
		return rows.filter(({ kickoff_id }, index) => {
			if (kickoff_id.includes(text.trim().toLowerCase())) return true;
			const texts = (parts[index] ?? []) as Array<{ text: string }>;
			return texts.some((part) => part.text.toLowerCase().includes(inJson));
		});
	}

	private *summaryOf(row: Row): Sql<Summary | undefined> {
		const { key, kickoff_id: kickoffId, state, owner, started_at: startedAt } = row;
		const facts = { key, kickoffId, owner, startedAt, finishedAt: row.finished_at ?? undefined };
		try {
			const head = { ...(yield* this.headOf(key)), state };
			return { ...facts, ...briefly(head, yield* this.inputsOf(key)) };
		} catch {
			// The reader logs executions that cannot be read.
			return undefined;
		}
	}

	private *inputsOf(key: number): Sql<string> {
		const row = (yield* get(
			`SELECT SUBSTR(value, 1, $2) AS value FROM parts WHERE key = $1 AND name = 'inputs'`,
			key,
			TOLD + WRAPPED.length,
		)) as { value: string } | undefined;
		const { value = '' } = row ?? {};
		return value.slice(WRAPPED.length, value.length > TOLD ? undefined : -1);
	}

	/** The small fields: no outputs, and of questions only whether they were answered. */
	private *headOf(key: number): Sql<Omit<Head, 'state'>> {
		const { data } = (yield* get('SELECT data FROM executions WHERE key = $1', key)) as {
			data: string;
		};
		const tasks = (yield* all(
			`SELECT value FROM parts WHERE key = $1 AND name LIKE 'tasks.%.'`,
			key,
		)) as Array<{ value: string }>;
		const asked = (yield* all(
			`SELECT name FROM parts WHERE key = $1
				AND (name LIKE 'questions.%.' OR name LIKE 'questions.%.answer')`,
			key,
		)) as Array<{ name: string }>;
		const names = new Set(asked.map(({ name }) => name));
		const questions = [...names].filter((name) => name.endsWith('.'));
		return {
			...(JSON.parse(data) as Pick<Execution, 'tokenUsage' | 'error'>),
			tasks: tasks.map(({ value }) => JSON.parse(value) as Task),
			questions: questions.map((name) => (names.has(`${name}answer`) ? { answer: true } : {})),
		};
	}
}

/** What comes before the inputs in their part. */
const WRAPPED = '{"inputs":';

interface Head extends Pick<Execution, 'state' | 'tokenUsage' | 'error'> {
	tasks: ReadonlyArray<Pick<Task, 'state'>>;
	questions: ReadonlyArray<{ answer?: unknown }>;
}

function briefly(
	execution: Head,
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

/** The states that an execution can have with a status: a question may be open while other tasks run. */
function statesOf(status: Status): ExecutionState[] {
	if (status === 'running') return ['queued', 'running'];
	if (status === 'pending_human_input') return ['queued', 'running', 'pending_human_input'];
	return [status];
}
