import { documentedMessages } from '../support/documentedMessages';
import { hints, messages } from './support/messages';

/** Texts that people or senders of callbacks read if nothing is wrong, and frames around other messages. */
const NO_TROUBLE = [
	'The crew answers and accepts the access token',
	'No event of interest',
	'Received before',
	'The workflow goes on',
	'Try again later',
	'… (kickoff_id …)',
	'… …',
	// The page lists its endings: "is empty" and so on.
	'The kickoff ID …',
	'The crew’s server …',
	'a web page',
];

const told = [...messages, ...hints];
const troubles = [...new Set(told.map(({ text }) => text))].filter(
	(text) => !NO_TROUBLE.includes(text),
);

/** The fixed parts of a text, between what is filled in. */
function pieces(text: string): string[] {
	return text
		.replaceAll(/[‘’]/g, "'")
		.split(/\s*(?:…|\{\w+\}|\$\{[^}]*\})\s*/)
		.filter((piece) => /\w/.test(piece));
}

/** Whether two texts are the same, with more or fewer gaps. */
function isSame(one: string, other: string): boolean {
	return holds(one, pieces(other)) || holds(other, pieces(one));
}

function holds(text: string, parts: string[]): boolean {
	let from = 0;
	const plain = text.replaceAll(/[‘’]/g, "'");
	return (
		parts.length > 0 &&
		parts.every((part) => {
			const at = plain.indexOf(part, from);
			from = at + part.length;
			return at >= 0;
		})
	);
}

test('there are messages in the code and on the page', () => {
	expect(troubles.length).toBeGreaterThan(45);
	expect(documentedMessages.length).toBeGreaterThan(45);
});

// If this fails, add an entry to docs/troubleshooting.md that says what to do.
test.each(troubles)('the page says what to do about "%s"', (text) => {
	expect(documentedMessages.filter((row) => isSame(row, text))).not.toEqual([]);
});

test.each(documentedMessages)('"%s" is still a message', (row) => {
	const isKnown = told.some(({ text }) => isSame(row, text));
	expect([row, isKnown]).toContain(true);
});
