import { own, structured, type JsonRecord } from './json';

const COUNTS = ['total_tokens', 'prompt_tokens', 'completion_tokens'] as const;
const NAMES = ['token_usage', 'usage_metrics'];

/** How many tokens an execution used. */
export type TokenUsage = Partial<Record<(typeof COUNTS)[number], number>>;

/** The counts of tokens beside a result or in it, with the name from callbacks; nothing if there is no count. */
export function readTokenUsage(record: JsonRecord): { token_usage?: TokenUsage } {
	const places = [record, structured(own(record, 'result'))];
	for (const sent of places.flatMap((place) => NAMES.map((name) => own(place, name)))) {
		const counts = COUNTS.map((count) => [count, own(sent, count)] as const);
		const usage = counts.filter(([, value]) => Number.isFinite(value));
		if (usage.length > 0) return { token_usage: Object.fromEntries(usage) };
	}
	return {};
}
