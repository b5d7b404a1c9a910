import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(__dirname, '..', '..', 'docs', 'troubleshooting.md');

/** The messages in docs/troubleshooting.md, each with a pattern for it. */
const documented = readFileSync(PAGE, 'utf8')
	.split('\n')
	.flatMap((line) => /^- \*\*(.+?)\*\*/.exec(line)?.[1] ?? [])
	.map((text) => ({ text, pattern: toPattern(text) }));

/** `…` stands for anything. */
function toPattern(text: string): RegExp {
	const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${parts.join('.+')}$`, 's');
}

/** The messages in docs/troubleshooting.md, with `…` for filled-in values. */
export const documentedMessages = documented.map(({ text }) => text);

/** A message in the form of docs/troubleshooting.md; `undefined` if it is not there. */
export function documentedMessage(message: string): string | undefined {
	return documented.find(({ pattern }) => pattern.test(message))?.text;
}
