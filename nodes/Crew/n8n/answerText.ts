/** Bytes, once decompressed. An answer is kept whole, parsed, and stored with n8n's execution. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** The code of the error for an answer that is larger than 64 MB. */
export const TOO_LARGE = 'CREW_ANSWER_TOO_LARGE';

/**
 * Reads the body of an answer, which n8n's helper returns as a stream, while it comes in: n8n itself
 * would never stop reading.
 *
 * @param body a stream, or text if n8n has read it already
 * @param headers the answer's
 * @param signal closes the stream
 * @returns the text of a stream, anything else as it is
 * @throws an error with the code {@link TOO_LARGE}, or with the network's code for an answer that
 * ends too early; the stream is then closed
 */
export async function readText(
	body: unknown,
	headers: unknown,
	signal: AbortSignal,
): Promise<unknown> {
	if (!isStream(body)) return body;
	const { 'content-length': announced } = (headers ?? {}) as Record<string, unknown>;
	const close = () => {
		body.destroy();
	};
	signal.addEventListener('abort', close);
	try {
		if (signal.aborted) close();
		return await collect(body, Number(announced));
	} catch (error) {
		close();
		throw withCode(error);
	} finally {
		signal.removeEventListener('abort', close);
	}
}

interface Stream {
	on(event: string, listener: (value: unknown) => void): unknown;
	destroy(): unknown;
}

function isStream(body: unknown): body is Stream {
	return typeof body === 'object' && body !== null && 'on' in body && 'destroy' in body;
}

/** Uses events, since iterating would take longer than everything else here. */
async function collect(body: Stream, announced: number): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	await new Promise((resolve, reject) => {
		const refuse = () => {
			reject(Object.assign(new Error('The answer is too large'), { code: TOO_LARGE }));
		};
		// Never removed: an error without a listener would end n8n.
		body.on('error', reject);
		body.on('end', resolve);
		body.on('close', () => {
			reject(new Error('The connection was closed'));
		});
		if (announced > LARGEST_ANSWER) refuse();
		body.on('data', (chunk) => {
			const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
			size += bytes.length;
			if (size > LARGEST_ANSWER) refuse();
			else chunks.push(bytes);
		});
	});
	return Buffer.concat(chunks, size).toString('utf8');
}

/** Marks a connection that broke in the middle of an answer, unlike one that brought none. */
function withCode(cause: unknown): Error {
	const { code } = cause as { code?: unknown };
	const isTold = code === TOO_LARGE || code === 'ERR_CANCELED' || /^Z_/.test(String(code));
	if (isTold) return cause as Error;
	return Object.assign(new Error('The answer ends too early', { cause }), {
		code: 'ERR_BAD_RESPONSE',
	});
}
