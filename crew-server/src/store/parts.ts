import type { Brief } from '../domain/brief';
import type { Execution } from '../domain/execution';

/** Part of what is kept of an execution, in JSON; without a text it is not kept any more. */
export interface Part {
	name: string;
	text: string | undefined;
}

/** A part as it was read; its value is null if it was left out. */
export interface ReadPart {
	name: string;
	value: string | null;
}

type Fields = Record<string, unknown>;

/** Fields that are kept apart since they may be large, or seldom change; those that change together share a part. */
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

/** What is small and changes often; the state is the store's to say. */
export function headOf(execution: Execution): string {
	return JSON.stringify(restOf(execution, [['state'], LISTS, ...APART.execution]));
}

/** The parts that differ from those of an execution before; objects that are the same are not looked into. */
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
			const rest = JSON.stringify(restOf(now, APART[list]));
			if (!then || rest !== JSON.stringify(restOf(then, APART[list]))) {
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

function restOf(whole: object, groups: readonly (readonly string[])[]): Fields {
	return Object.fromEntries(
		Object.entries(whole).filter(([field]) => !groups.some((fields) => fields.includes(field))),
	);
}

/** Says of the name of a part whether an execution in brief has it, however large it is. */
export const IS_BRIEF = `(name LIKE 'tasks.%.' OR name LIKE 'questions.%.')`;

/**
 * The execution from what is kept of it.
 *
 * @throws {Error} if it cannot be one
 */
export function assemble(state: string, head: string, parts: readonly ReadPart[]): Execution {
	const execution = putTogether(state, head, parts);
	if (!isExecution(execution)) throw new Error('it is of another shape');
	return execution;
}

/** The same without what was left out of the parts. */
export function assembleBrief(state: string, head: string, parts: readonly ReadPart[]): Brief {
	return putTogether(state, head, parts) as Fields & Brief;
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

/** Whether it has all that is read of any execution. */
function isExecution(value: Fields): value is Fields & Execution {
	const { kickoffId, crewName, inputs, callbacks, tokenUsage, tasks, questions } = value;
	const isObject = (one: unknown) => typeof one === 'object' && one !== null;
	const all = (list: unknown, fields: string[]) =>
		Array.from(list as Fields[]).every(
			(one) => isObject(one) && fields.every((field) => typeof one[field] === 'string'),
		);
	return (
		typeof kickoffId === 'string' &&
		typeof crewName === 'string' &&
		[inputs, callbacks, tokenUsage].every(isObject) &&
		all(tasks, ['taskId', 'uuid', 'state', 'description', 'expectedOutput', 'agent']) &&
		all(questions, ['taskId', 'output'])
	);
}
