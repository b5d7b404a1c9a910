import { DEFAULT_ASPECTS, type Aspects } from '../api/aspects';

const DOCUMENTED: Aspects = {
	...DEFAULT_ASPECTS,
	statusPath: 'id-first',
	statusBody: 'status',
	kickoffKeys: 'ignored',
};

const QUEUE: Aspects = {
	...DOCUMENTED,
	statusPath: 'status-first',
	statusBody: 'state',
	errorBody: 'framework',
	inputsShape: 'names',
};

const DIALECTS = {
	both: DEFAULT_ASPECTS,
	documented: DOCUMENTED,
	queue: QUEUE,
	platform: {
		...QUEUE,
		statusBody: 'platform',
		errorBody: 'platform',
		resume: 'new-id',
		questions: 'url',
		steps: 'tools',
		flowInputs: 'optional',
		unknownState: 'ignored',
		root: 'none',
	},
} as const satisfies Record<string, Aspects>;

/**
 * `documented` answers as the specification says, `queue` as deployments on a task queue do, `both` each at its own
 * status path, `platform` as the vendor's own platform does today.
 */
export type Dialect = keyof typeof DIALECTS;

/** The aspects of a dialect, with some set differently. */
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
