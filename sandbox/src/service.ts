import execa from 'execa';
import { waitFor } from './wait-for';

/** A server that is not n8n: Redis or PostgreSQL, as a child of this process. */
export interface Service {
	port: number;
	/** @param signal instead of the one for an orderly shutdown */
	stop(signal?: NodeJS.Signals): Promise<void>;
}

interface ServiceCommand {
	name: string;
	/** Program and arguments. */
	command: [string, ...string[]];
	/** The user to run as, in `setpriv`'s options; this process's own by default. */
	identity?: string[];
	env?: Record<string, string>;
	/** What the server prints once it is ready. */
	readyLine: RegExp;
	/** The signal for a quick, orderly shutdown. */
	endSignal: NodeJS.Signals;
	port: number;
}

/**
 * Starts a server and waits until it is ready. However this process ends, the kernel then ends the server, too
 * (`setpriv`, of util-linux).
 */
export async function startService(wanted: ServiceCommand): Promise<Service> {
	const { name, command, identity = [], env, readyLine, endSignal, port } = wanted;
	const child = execa(
		'setpriv',
		[...identity, '--pdeathsig', endSignal.slice('SIG'.length), '--', ...command],
		{ env, all: true, buffer: false, reject: false },
	);
	let output = '';
	child.all?.on('data', (chunk: Buffer) => {
		output += chunk.toString();
	});
	let isRunning = true;
	const ended = child.then(() => {
		isRunning = false;
	});
	const stop = async (signal = endSignal) => {
		child.kill(signal);
		await ended;
	};
	try {
		await waitFor(`${name} to serve on port ${port}`, () => {
			if (!isRunning) throw new Error(`${name} ended while it started:\n${output}`);
			return readyLine.test(output);
		});
	} catch (error) {
		await stop();
		throw error;
	}
	return { port, stop };
}
