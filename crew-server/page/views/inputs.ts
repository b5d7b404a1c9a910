import { ApiProblem, get, withQuery } from '../api';
import type { CrewView } from '../wire';

/** An input from `GET /inputs`, whatever the shape of that answer. */
export interface Input {
	name: string;
	type: string;
	isRequired: boolean;
	description?: string;
	initial?: unknown;
	example?: unknown;
}

/** Inputs by their names, as JSON has them. */
export type Values = Readonly<Record<string, unknown>>;

export async function load(crew: CrewView, from: string | undefined) {
	const inputs = readInputs(await get<unknown>('inputs'));
	const initial = Object.fromEntries(
		inputs.filter((one) => one.initial !== undefined).map((one) => [one.name, one.initial]),
	);
	if (from === undefined) return { inputs, values: { ...initial, ...lastInputs(crew) } };
	const { text } = await get<{ text: string }>(withQuery('page/text', { id: from, of: 'inputs' }));
	return { inputs, values: JSON.parse(text) as Values };
}

/** `{inputs: …}` or not, and names, an object of types, or objects. */
function readInputs(answer: unknown): Input[] {
	const isWrapped = isRecord(answer) && 'inputs' in answer && typeof answer['inputs'] === 'object';
	const given = isWrapped ? answer['inputs'] : answer;
	if (isRecord(given)) {
		return Object.entries(given).map(([name, type]) => inputOf({ name, type }));
	}
	const list = Array.isArray(given) ? given : [];
	return list.map((one: unknown) => inputOf(isRecord(one) ? one : { name: one }));
}

function inputOf({ name, type, required, description, ...more }: Record<string, unknown>): Input {
	const examples = more['examples'];
	return {
		name: String(name),
		type: typeof type === 'string' ? type : 'string',
		isRequired: required === true,
		description: typeof description === 'string' ? description : undefined,
		initial: more['default'],
		example: more['example'] ?? (Array.isArray(examples) ? (examples as unknown[])[0] : undefined),
	};
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const keptAs = ({ name }: CrewView) => `inputs:${location.pathname}:${name}`;

/** The inputs with which this browser started the crew last. */
function lastInputs(crew: CrewView): Values {
	try {
		const kept: unknown = JSON.parse(localStorage.getItem(keptAs(crew)) ?? '{}');
		return isRecord(kept) ? kept : {};
	} catch {
		return {};
	}
}

export function keepInputs(crew: CrewView, values: Values): void {
	try {
		localStorage.setItem(keptAs(crew), JSON.stringify(values));
	} catch {
		// They may be too long for the browser's storage.
	}
}

/** The typed values, by the names of the inputs; values other than text are written as JSON. */
export type Typed = Readonly<Record<string, string>>;

export function asText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}

export function typedOf(inputs: readonly Input[], values: Values): Typed {
	const known = inputs.map(({ name }) => [name, values[name]] as const);
	return Object.fromEntries(
		known
			.filter(([, value]) => value !== undefined && value !== null)
			.map(([name, value]) => [name, asText(value)]),
	);
}

/** Values for the API, including those without a field in the form. Unreadable text is sent as it is, for the API to judge. */
export function valuesOf(inputs: readonly Input[], typed: Typed, before: Values): Values {
	const names = new Set(inputs.map(({ name }) => name));
	const others = Object.entries(before).filter(([name]) => !names.has(name));
	const given = inputs
		.filter(({ name }) => (typed[name] ?? '') !== '')
		.map(({ name, type }) => [name, valueOf(type, typed[name] ?? '')] as const);
	return Object.fromEntries([...others, ...given]);
}

function valueOf(type: string, text: string): unknown {
	if (type === 'string') return text;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

export function parseObject(json: string): Values {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch (error) {
		throw new ApiProblem(0, `That is not JSON: ${(error as Error).message}`);
	}
	if (isRecord(value)) return value;
	throw new ApiProblem(0, 'The inputs must be an object: {"name": value}.');
}
