import { blameIn, fields } from './support/panelTexts';
import { advice, hints, messages } from './support/messages';

/** n8n's UX guidelines for messages: what happened, and how to go on, without words of blame. */

const texts = (all: typeof messages) => [...new Set(all.map(({ text }) => text))];

test('messages and advice are found in the code', () => {
	expect(texts(messages).length).toBeGreaterThan(50);
	expect(texts(advice).length).toBeGreaterThan(50);
	expect(texts(messages)).toContain('The crew did not accept the access token');
	expect(texts(messages)).toContain('refuses the connection');
	expect(texts(messages)).toContain('has a control character');
});

const names = fields.map(({ property }) => property.displayName);

function expectGuidelines(text: string): void {
	expect(blameIn(text)).toBeUndefined();
	// Names of fields are in single quotation marks.
	for (const [, quoted] of text.matchAll(/"([^"]+)"/g)) expect(names).not.toContain(quoted);
}

test.each(texts(messages))('what happened: "%s"', (text) => {
	expectGuidelines(text);
	expect(text.endsWith('.')).toBe(false);
});

test.each(texts([...advice, ...hints]))('what to do: "%s"', (text) => {
	expectGuidelines(text);
});
