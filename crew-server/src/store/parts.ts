import type { Brief } from '../domain/brief';
import type { Execution, Told } from '../domain/execution';

/** A part of a stored execution, in JSON. Without a text, the part is removed. */
export interface Part {
	name: string;
	text: string | undefined;
}

/** A part that was read; its value is null if it was left out. */
export interface ReadPart {
	name: string;
	value: string | null;
}

type Fields = Record<string, unknown>;

/** Fields that are stored separately since they may be large or rarely change; those that change together share a part. */
const APART = {
	execution: [
		['inputs'],
		['meta'],
		['callbacks'],
		['extension'],
		['checkpoint'],
		['result'],
		['lastStep'],
	],
	tasks: [['description', 'expectedOutput', 'agent'], ['output', 'outputJson'], ['checkpoint']],
	questions: [['output', 'outputJson'], ['checkpoint'], ['answer']],
};
const LISTS = ['tasks', 'questions'] as const;

/** The names of all these fields. */
const NAMES_APART = {
	execution: new Set(['state', ...LISTS, ...APART.execution.flat()]),
	tasks: new Set(APART.tasks.flat()),
	questions: new Set(APART.questions.flat()),
};

/** The fields that are small and change often, without the state, which has its own column. */
export function headOf(execution: Execution): string {
	return JSON.stringify(restOf(execution, NAMES_APART.execution));
}

/** The parts that have changed since an earlier state; identical objects are not compared. */
export function changedParts(before: Execution | undefined, after: Execution): Part[] {
	const changed = changedGroups('', before, after, APART.execution);
	for (const list of LISTS) {
		for (let index = after[list].length; index < (before?.[list].length ?? 0); index++) {
			const names = ['', ...APART[list].map(([name = '']) => name)];
			changed.push(...names.map((name) => ({ name: `${list}.${index}.${name}`, text: undefined })));
		}
		for (const [index, now] of after[list].entries()) {
			const then = before?.[list][index];
			if (then === now) continue;
			const prefix = `${list}.${index}.`;
			const rest = JSON.stringify(restOf(now, NAMES_APART[list]));
			if (!then || rest !== JSON.stringify(restOf(then, NAMES_APART[list]))) {
				changed.push({ name: prefix, text: rest });
			}
			changed.push(...changedGroups(prefix, then, now, APART[list]));
		}
	}
	return changed;
}

function changedGroups(
	prefix: string,
	before: object | undefined,
	after: object,
	groups: readonly (readonly string[])[],
): Part[] {
	const then = (before ?? {}) as Fields;
	const now = after as Fields;
	return groups
		.filter((fields) => fields.some((field) => then[field] !== now[field]))
		.map((fields) => {
			const kept = fields.filter((field) => now[field] !== undefined);
			const value = Object.fromEntries(kept.map((field) => [field, now[field]]));
			return {
				name: `${prefix}${fields[0]}`,
				text: kept.length === 0 ? undefined : JSON.stringify(value),
			};
		});
}

function restOf(whole: object, apart: ReadonlySet<string>): Fields {
	return Object.fromEntries(Object.entries(whole).filter(([field]) => !apart.has(field)));
}

/** What may be read of an execution. */
export interface Excerpt<T extends Brief> {
	/** Says of the name of a part, in SQL, whether it is read however large it is. */
	condition: string;
	/** Whether it has all that is read of any. */
	isOne: (value: Fields) => value is Fields & T;
}

export const WHOLE: Excerpt<Execution> = {
	condition: 'TRUE',
	isOne: (value): value is Fields & Execution => TOLD.isOne(value) && isObject(value['inputs']),
};

export const TOLD: Excerpt<Told> = {
	condition: `NOT (name IN ('inputs', 'checkpoint', 'extension') OR name LIKE '%.checkpoint')`,
	isOne: (value): value is Fields & Told =>
		BRIEF.isOne(value) &&
		isObject((value as Fields)['callbacks']) &&
		areAll(value.tasks, ['description', 'expectedOutput', 'agent']) &&
		areAll(value.questions, ['output']),
};

export const BRIEF: Excerpt<Brief> = {
	condition: `(name LIKE 'tasks.%.' OR name LIKE 'questions.%.')`,
	isOne: (value): value is Fields & Brief =>
		areAll([value], ['kickoffId', 'crewName']) &&
		isObject(value['tokenUsage']) &&
		areAll(value['tasks'], ['taskId', 'uuid', 'state']) &&
		areAll(value['questions'], ['taskId']),
};

/**
 * The execution from what was read of it.
 *
 * @throws {Error} if it cannot be one
 */
export function assemble<T extends Brief>(
	{ isOne }: Excerpt<T>,
	state: string,
	head: string,
	parts: readonly ReadPart[],
): T {
	const execution = putTogether(state, head, parts);
	if (!isOne(execution)) throw new Error('it is of another shape');
	return execution;
}

function putTogether(state: string, head: string, parts: readonly ReadPart[]): Fields {
	const lists: Record<(typeof LISTS)[number], Fields[]> = { tasks: [], questions: [] };
	const execution = { ...(JSON.parse(head) as Fields), ...lists, state } as Fields;
	for (const { name, value } of parts) {
		const [list, index, field] = name.split('.');
		const target =
			list === 'tasks' || list === 'questions' ? (lists[list][Number(index)] ??= {}) : execution;
		if (value !== null) Object.assign(target, JSON.parse(value));
		else if (field === 'answer') target['answer'] = {};
	}
	return execution;
}

function isObject(one: unknown): one is Fields {
	return typeof one === 'object' && one !== null;
}

/** Whether all of a list, which may have holes, have texts in these fields. */
function areAll(list: unknown, fields: readonly string[]): boolean {
	return Array.from(list as Fields[]).every(
		(one) => isObject(one) && fields.every((field) => typeof one[field] === 'string'),
	);
}
