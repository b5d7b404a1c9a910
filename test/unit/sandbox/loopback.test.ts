import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { jsonOf, listenOnLoopback, unlessBrokenOff } from '../../../sandbox/src/loopback';

describe('reading a request', () => {
	/** Reads a request of `length` bytes whose sender has gone after sending `body`. */
	async function read(body: string, length: number): Promise<unknown> {
		const server = createServer();
		const { port, close } = await listenOnLoopback(server);
		const client = connect(port, '127.0.0.1');
		client.write(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${length}\r\n\r\n${body}`);
		const [request] = (await once(server, 'request')) as [IncomingMessage];
		client.destroy();
		try {
			return await jsonOf(request).catch(unlessBrokenOff(request));
		} finally {
			await close();
		}
	}

	it('does not fail if the sender closes the connection', async () => {
		await expect(read('{', 100)).resolves.toBeUndefined();
	});

	it('fails if the body is not JSON', async () => {
		await expect(read('{', 1)).rejects.toThrow(SyntaxError);
	});
});
