import fc, { type Arbitrary } from 'fast-check';

/** A request with a body that may be as hostile as its size allows. */
export interface RandomBody {
	/** A description for people. */
	recipe: string;
	path: string;
	body: () => string;
}

/** The size of the largest accepted body in bytes, less some room for what surrounds a value. */
const MOST_BYTES = 5 * 1024 ** 2 - 2_000;
const NOWHERE = 'http://127.0.0.1:9/';

/** Pieces of texts and names, as they are in JSON. */
const UNITS = [
	...['x', 'a ', '7', '{topic}', '<', '%41', ':', '@', '../', 'sk-abcdefghijklmnop1 '],
	...['😀', '漢', 'é', '\u0085', 'İ', '{', '[', ',', ' ', '{\\"a\\":'],
	...['\\n', '\\"', '\\\\', '\\/', '\\u0007', '\\u0000', '\\u2028'],
	...['\\ud800', '\\udfff', '\\ud800x', '\\ud83d\\ude00'],
];

interface Measures {
	unit: string;
	/** The number of values. */
	count: number;
	bytes: number;
}

const text = (unit: string, bytes: number) =>
	unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
const many = (count: number, one: (index: number) => string) =>
	Array.from({ length: count }, (_, index) => one(index)).join();
const each = ({ count, bytes }: Measures) => Math.max(1, Math.floor(bytes / count) - 14);
const nested = (open: string, close: string, levels: number) =>
	`${open.repeat(levels)}0${close.repeat(levels)}`;

/** Values in JSON. */
const SHAPES: Record<string, (measures: Measures) => string> = {
	text: ({ unit, bytes }) => `"${text(unit, bytes)}"`,
	texts: (given) => `[${many(given.count, () => `"${text(given.unit, each(given))}"`)}]`,
	fields: (given) => `{${many(given.count, (at) => `"${text(given.unit, each(given))}${at}":0`)}}`,
	objects: (given) =>
		`[${many(given.count / 2, (at) => `{"${text(given.unit, each(given) * 2)}${at}":[]}`)}]`,
	repeated: (given) => `{${many(given.count, () => `"a":"${text(given.unit, each(given))}"`)}}`,
	numbers: (given) => `[${many(given.count, () => `1.${'7'.repeat(each(given))}e-300`)}]`,
	lists: () => `[${many(99, () => nested('[', ']', 480))}]`,
	deep: ({ unit, bytes }) => nested(`{"${text(unit, bytes / 480 - 10)}":`, '}', 480),
};

/** The fields of a kickoff with a value in each possible place. */
const PLACES: Record<string, (value: string) => string> = {
	topic: (value) => `"inputs":{"topic":${value}}`,
	input: (value) => `"inputs":{"topic":"Tea","other":${value}}`,
	inputs: (value) => `"inputs":${value}`,
	meta: (value) => `"inputs":{"topic":"Tea"},"meta":{"a":${value}}`,
	field: (value) => `"inputs":{"topic":"Tea"},"field":${value}`,
	payload: (value) => `"inputs":{"topic":"Tea"},"crewai_trigger_payload":${value}`,
	state: (value) => `"inputs":{"topic":"Tea"},"restoreFromStateId":${value}`,
	url: (value) => `"inputs":{"topic":"Tea"},"crewWebhookUrl":${value}`,
	events: (value) => `"inputs":{"topic":"Tea"},"webhooks":{"url":"${NOWHERE}","events":${value}}`,
	token: (value) =>
		`"inputs":{"topic":"Tea"},"humanInputWebhook":{"url":"${NOWHERE}","authentication":{"strategy":"bearer","token":${value}}}`,
};

const STREAMED = '"crew_kickoff_started","task_started","llm_call_completed","task_completed"';
const TARGETS: Record<string, string> = {
	'no callbacks': '',
	callbacks: ['task', 'step', 'crew'].map((kind) => `"${kind}WebhookUrl":"${NOWHERE}",`).join(''),
	'each event': `"webhooks":{"url":"${NOWHERE}","realtime":true,"events":[${STREAMED}]},`,
	'all events': `"webhooks":{"url":"${NOWHERE}","events":[${STREAMED}]},`,
};

/** @param kickoffId the identifier of an execution */
export const randomBodies = (kickoffId: string): Arbitrary<RandomBody> => {
	const bodies: Record<string, (value: string, place: string, targets: string) => string> = {
		'/kickoff': (value, place, targets) => `{${TARGETS[targets]}${PLACES[place]!(value)}}`,
		'/resume': (value) =>
			`{"execution_id":"${kickoffId}","task_id":"write","is_approve":true,"human_feedback":${value}}`,
		'/page/send-again': (value) => `{"id":"${kickoffId}","callback":${value}}`,
	};
	const of = (choices: object) => fc.constantFrom(...Object.keys(choices));
	return fc
		.record({
			path: fc.oneof({ weight: 5, arbitrary: fc.constant('/kickoff') }, of(bodies)),
			place: of(PLACES),
			targets: of(TARGETS),
			shape: of(SHAPES),
			unit: fc.constantFrom(...UNITS),
			count: fc.constantFrom(48_000, 5_000, 10),
			bytes: fc.constantFrom(MOST_BYTES, MOST_BYTES / 2, 200_000),
		})
		.map(({ path, place, targets, shape, ...measures }) => ({
			recipe: JSON.stringify({ path, place, targets, shape, ...measures }),
			path,
			body: () => bodies[path]!(SHAPES[shape]!(measures), place, targets),
		}));
};
