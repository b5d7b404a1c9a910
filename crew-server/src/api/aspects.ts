/** Everything in which deployments differ on the wire; each can be set on its own. */
export interface Aspects {
	/** `/{kickoff_id}/status`, `/status/{kickoff_id}`, or both; the other one answers 404. */
	statusPath: 'both' | 'id-first' | 'status-first';
	/** The documented `status` words, a task queue's `state`, both in one body, what belongs to the path, or the platform's. */
	statusBody: 'by-path' | 'status' | 'state' | 'both' | 'platform';
	/** `{error, message, details}`, a framework's `{detail}`, or the same with the platform's texts. */
	errorBody: 'documented' | 'framework' | 'platform';
	/** A list of names, an object name -> type, or a list of objects. */
	inputsShape: 'names' | 'types' | 'objects';
	/** Whether the inputs are under `inputs` or are the whole body. */
	inputsWrapper: 'inputs' | 'none';
	/** The name of the identifier in kickoff's answer. */
	kickoffIdField: 'kickoff_id' | 'id';
	/** The status of a kickoff's answer. */
	kickoffStatus: 200 | 201 | 202;
	/** Whether a kickoff that is repeated with the same `Idempotency-Key` starts nothing new. */
	kickoffKeys: 'kept' | 'ignored';
	/** Whether an approved or rejected execution keeps its identifier, or continues under a new one. */
	resume: 'same-id' | 'new-id';
	/** Where a question is sent if both are given: `humanInputWebhook`, only `humanInputWebhookUrl`, or both. */
	questions: 'object' | 'url' | 'both';
	/** Whether every thought of an agent is a step, or only the use of tools and the results. */
	steps: 'all' | 'tools';
	/** A flow's inputs as its state declares them, or none of them required and `id` among them. */
	flowInputs: 'declared' | 'optional';
	/** What happens if there is no state for a `restoreFromStateId`: it is refused, or the flow starts with its defaults. */
	unknownState: 'refused' | 'ignored';
	/** What `GET /` answers unless a browser asks: `Healthy`, or 404. */
	root: 'healthy' | 'none';
	/** The word for an execution that waits for a person; unless set, the one that belongs to the body. */
	pauseWord?: string;
}

/** As in the specification, with the status that belongs to each of the two paths. */
export const DEFAULT_ASPECTS: Aspects = {
	statusPath: 'both',
	statusBody: 'by-path',
	errorBody: 'documented',
	inputsShape: 'objects',
	inputsWrapper: 'inputs',
	kickoffIdField: 'kickoff_id',
	kickoffStatus: 200,
	kickoffKeys: 'kept',
	resume: 'same-id',
	questions: 'object',
	steps: 'all',
	flowInputs: 'declared',
	unknownState: 'refused',
	root: 'healthy',
};

/** What each aspect can be, for flags and their messages; `pauseWord` can be any word. */
const ASPECT_VALUES: { [Name in keyof Aspects]-?: ReadonlyArray<Aspects[Name]> } = {
	statusPath: ['both', 'id-first', 'status-first'],
	statusBody: ['by-path', 'status', 'state', 'both', 'platform'],
	errorBody: ['documented', 'framework', 'platform'],
	inputsShape: ['names', 'types', 'objects'],
	inputsWrapper: ['inputs', 'none'],
	kickoffIdField: ['kickoff_id', 'id'],
	kickoffStatus: [200, 201, 202],
	kickoffKeys: ['kept', 'ignored'],
	resume: ['same-id', 'new-id'],
	questions: ['object', 'url', 'both'],
	steps: ['all', 'tools'],
	flowInputs: ['declared', 'optional'],
	unknownState: ['refused', 'ignored'],
	root: ['healthy', 'none'],
	pauseWord: [],
};

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
