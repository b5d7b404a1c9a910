/** Everything in which deployments differ on the wire; each can be set on its own. */
export interface Aspects {
	/** `/{kickoff_id}/status`, `/status/{kickoff_id}`, or both; what is not chosen answers 404. */
	statusPath: 'both' | 'id-first' | 'status-first';
	/** The documented `status` words, a task queue's `state`, both in one body, or what belongs to the path. */
	statusBody: 'by-path' | 'status' | 'state' | 'both';
	/** `{error, message, details}`, or a framework's `{detail}`. */
	errorBody: 'documented' | 'framework';
	/** A list of names, an object name -> type, or a list of objects. */
	inputsShape: 'names' | 'types' | 'objects';
	/** Whether the inputs stand under `inputs` or are the whole body. */
	inputsWrapper: 'inputs' | 'none';
	/** The name under which kickoff answers the identifier. */
	kickoffIdField: 'kickoff_id' | 'id';
	/** The status of a kickoff's answer. */
	kickoffStatus: 200 | 201 | 202;
	/** The word for an execution that waits for a person; unless set, the one that belongs to the body. */
	pauseWord?: string;
}

const DOCUMENTED = {
	statusPath: 'id-first',
	statusBody: 'status',
	errorBody: 'documented',
	inputsShape: 'objects',
	inputsWrapper: 'inputs',
	kickoffIdField: 'kickoff_id',
	kickoffStatus: 200,
} as const satisfies Aspects;

const DIALECTS = {
	both: { ...DOCUMENTED, statusPath: 'both', statusBody: 'by-path' },
	documented: DOCUMENTED,
	queue: {
		statusPath: 'status-first',
		statusBody: 'state',
		errorBody: 'framework',
		inputsShape: 'names',
		inputsWrapper: 'inputs',
		kickoffIdField: 'kickoff_id',
		kickoffStatus: 200,
	},
} as const satisfies Record<string, Aspects>;

/**
 * `documented` speaks as the specification does, `queue` as deployments on a task queue do, `both` each at its own
 * status path.
 */
export type Dialect = keyof typeof DIALECTS;

/** What each aspect can be, for flags and their messages; `pauseWord` can be any word. */
const ASPECT_VALUES: { [Name in keyof Aspects]-?: ReadonlyArray<Aspects[Name]> } = {
	statusPath: ['both', 'id-first', 'status-first'],
	statusBody: ['by-path', 'status', 'state', 'both'],
	errorBody: ['documented', 'framework'],
	inputsShape: ['names', 'types', 'objects'],
	inputsWrapper: ['inputs', 'none'],
	kickoffIdField: ['kickoff_id', 'id'],
	kickoffStatus: [200, 201, 202],
	pauseWord: [],
};

/** The aspects of a dialect, with single ones set otherwise. */
export function aspectsOf(dialect: Dialect, overrides: Partial<Aspects> = {}): Aspects {
	return { ...DIALECTS[dialect], ...overrides };
}

/** @throws {Error} saying which dialects there are */
export function parseDialect(word: string): Dialect {
	if (Object.hasOwn(DIALECTS, word)) return word as Dialect;
	throw new Error(
		`There is no dialect "${word}": give one of ${Object.keys(DIALECTS).join(', ')}.`,
	);
}

/**
 * Reads `name=value` as one aspect.
 *
 * @throws {Error} saying which names or values there are
 */
export function parseAspect(setting: string): Partial<Aspects> {
	const [name = '', ...rest] = setting.split('=');
	const value = rest.join('=');
	if (!Object.hasOwn(ASPECT_VALUES, name)) {
		const names = Object.keys(ASPECT_VALUES).join(', ');
		throw new Error(`There is no aspect "${name}": give name=value with one of ${names}.`);
	}
	const values = ASPECT_VALUES[name as keyof Aspects];
	const chosen = values.length > 0 ? values.find((one) => String(one) === value) : value;
	if (chosen === undefined || chosen === '') {
		const expected = values.length > 0 ? `one of ${values.join(', ')}` : 'any word';
		throw new Error(`The aspect ${name} cannot be "${value}": give ${expected}.`);
	}
	return { [name]: chosen };
}
