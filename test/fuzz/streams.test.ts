import { Readable } from 'node:stream';
import fc from 'fast-check';
import { exchange } from '../../nodes/Crew/n8n/send';
import { holdsAsync } from './support/property';
import { strangeJson, strangeText } from './support/strange';

const read = async (answer: unknown) =>
	await exchange({ method: 'GET', timeout: 60_000 }, async () => await Promise.resolve(answer));

/** Full responses of n8n's helper. */
const answers = fc.record({
	statusCode: fc.integer({ min: 100, max: 599 }),
	headers: fc.oneof(
		fc.dictionary(fc.constantFrom('content-length', 'content-type', '__proto__'), strangeText),
		strangeJson,
	),
});
const pieces = fc.array(
	fc.oneof(
		strangeText.map((text) => Buffer.from(text)),
		fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
	),
	{ maxLength: 5 },
);

describe('any body', () => {
	it('in any pieces is read as their whole text', async () => {
		await holdsAsync(fc.tuple(answers, pieces), async ([answer, chunks]) => {
			const body = Readable.from(chunks, { objectMode: false });
			const { text } = await read({ ...answer, headers: {}, body });
			expect(text).toBe(Buffer.concat(chunks).toString('utf8'));
			expect(body.destroyed).toBe(true);
		});
	});

	it('that n8n has already parsed is also read', async () => {
		await holdsAsync(fc.tuple(answers, strangeJson), async ([answer, body]) => {
			const { headers, text } = await read({ ...answer, body });
			expect(typeof text).toBe('string');
			expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
		});
	});
});
