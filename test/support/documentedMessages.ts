import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(__dirname, '..', '..', 'docs', 'troubleshooting.md');

/** The messages of docs/troubleshooting.md as they stand there, each with what fits it. */
const documented = readFileSync(PAGE, 'utf8')
	.split('\n')
	.flatMap((line) => /^- \*\*(.+?)\*\*/.exec(line)?.[1] ?? [])
	.map((text) => ({ text, pattern: toPattern(text) }));

/** `…` stands for anything. */
function toPattern(text: string): RegExp {
	const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${parts.join('.+')}$`, 's');
}

/** What docs/troubleshooting.md lists, with `…` for what is filled in. */
export const documentedMessages = documented.map(({ text }) => text);

/** A message as docs/troubleshooting.md has it, `undefined` if it is not there. */
export function documentedMessage(message: string): string | undefined {
	return documented.find(({ pattern }) => pattern.test(message))?.text;
}
