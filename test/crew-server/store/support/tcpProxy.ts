import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** What happens to the next COMMIT: its answer is lost, or it never arrives. */
type CommitFault = 'answer_lost' | 'not_sent';

/** A proxy between a client and PostgreSQL. */
export class TcpProxy {
	/** Happens once. */
	commitFault: CommitFault | undefined;
	private isOpen = true;
	private isStill = false;
	private readonly sockets = new Set<Socket>();
	/** The connections on which a client waits for notices. */
	private readonly listening = new Set<Socket>();
	private readonly server = createServer((client) => {
		this.join(client);
	});

	/** @param port PostgreSQL's port, for new connections */
	constructor(public port: number) {}

	/** @returns the proxy's port */
	async listen(): Promise<number> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
		return (this.server.address() as AddressInfo).port;
	}

	/** Ends all connections, and accepts no more for now. */
	cut(): void {
		this.isOpen = false;
		for (const socket of this.sockets) socket.destroy();
	}

	open(): void {
		this.isOpen = true;
	}

	/** Ends the connections on which a client waits for notices. */
	cutListeners(): void {
		for (const socket of this.listening) socket.destroy();
	}

	/** Passes nothing on for now, as if the network were gone, without an error on either side. */
	stall(): void {
		this.isStill = true;
		for (const socket of this.sockets) socket.pause();
	}

	/** Passes everything on again, including what arrived meanwhile. */
	flow(): void {
		this.isStill = false;
		for (const socket of this.sockets) socket.resume();
	}

	/** Passes nothing more on for existing connections; new ones are not affected. */
	forget(): void {
		this.stall();
		this.isStill = false;
	}

	async close(): Promise<void> {
		this.cut();
		this.server.close();
		await once(this.server, 'close');
	}

	private join(client: Socket): void {
		if (!this.isOpen) {
			client.destroy();
			return;
		}
		const database = connect(this.port, '127.0.0.1');
		let isAnswerLost = false;
		const end = () => {
			client.destroy();
			database.destroy();
		};
		for (const socket of [client, database]) {
			this.sockets.add(socket);
			socket.on('error', () => undefined);
			socket.on('close', () => {
				this.sockets.delete(socket);
				this.listening.delete(socket);
				end();
			});
		}
		client.on('data', (data) => {
			if (data.includes('LISTEN "')) this.listening.add(client);
			const fault = data.includes('COMMIT\0') ? this.commitFault : undefined;
			if (fault) this.commitFault = undefined;
			if (fault === 'not_sent') {
				end();
				return;
			}
			isAnswerLost ||= fault === 'answer_lost';
			database.write(data);
		});
		database.on('data', (data) => {
			if (isAnswerLost) end();
			else client.write(data);
		});
		if (this.isStill) this.stall();
	}
}
