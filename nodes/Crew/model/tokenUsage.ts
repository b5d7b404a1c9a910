import { defined, own, type JsonRecord } from './json';

/** How many tokens an execution used. */
export interface TokenUsage {
	total_tokens?: number;
	prompt_tokens?: number;
	completion_tokens?: number;
}

/**
 * The counts of tokens, `usage_metrics` in a status and `token_usage` in a callback, under the latter
 * name; nothing if there is no count.
 */
export function readTokenUsage(record: JsonRecord): { token_usage?: TokenUsage } {
	for (const name of ['token_usage', 'usage_metrics']) {
		const sent = own(record, name);
		const usage = defined({
			total_tokens: readCount(own(sent, 'total_tokens')),
			prompt_tokens: readCount(own(sent, 'prompt_tokens')),
			completion_tokens: readCount(own(sent, 'completion_tokens')),
		});
		if (Object.keys(usage).length > 0) return { token_usage: usage };
	}
	return {};
}

function readCount(value: unknown): number | undefined {
	return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
