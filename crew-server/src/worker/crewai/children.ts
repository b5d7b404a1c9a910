import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Host, HostSettings, Printed } from './host';
import { HostKeeper } from './hostKeeper';
import { readLines, writeLine } from './messageLines';
import {
	CHILD_REPORTS,
	PROTOCOL_VERSION,
	readMessage,
	type ChildOrder,
	type ChildReport,
	type HostReport,
} from './protocol';

export type ChildExit = Omit<Extract<HostReport, { type: 'exited' }>, 'type' | 'child'> & {
	/** Whether it ended because its host did, or never started because there was no host. */
	isHostGone: boolean;
	/** Whether it was told to end. */
	isEnded: boolean;
};

/** What a host reports about itself. */
export type Imported = NonNullable<Host['imported']>;

/** Milliseconds in which the last reports of an ended child must arrive. */
const LAST_WORDS = 1_000;

/** Milliseconds that a child may live without its connection, which is either its end or makes it useless. */
const LONGEST_ALONE = 5_000;

/** How many printed lines are kept before a child has an execution. */
const MOST_UNREAD = 1_000;

/** A process that builds the crew, and describes it or does the work of one execution. */
export interface Child {
	/** Sends it an order, possibly before it has connected. */
	send(order: ChildOrder): void;
	/** Takes what it reports from now on. */
	onReport(listener: (report: ChildReport) => void): void;
	/** Takes what it prints, including what it has printed so far. */
	onPrinted(listener: Printed): void;
	/** Ends it with all its processes, within about two seconds. */
	end(): void;
	/** Its process ID, once there is one. */
	readonly pid: number | undefined;
	/** Whether it has died together with its host. */
	readonly isLost: boolean;
	/** Resolves once it calls a model, or has ended. */
	readonly underWay: Promise<unknown>;
	/** Resolves with how it ended, after all its reports. */
	readonly exited: Promise<ChildExit>;
}

/** The children of a project's host, and the host itself. */
export class Children {
	private readonly keeper: HostKeeper;
	private readonly expected = new Map<number, ConnectedChild>();

	private constructor(
		settings: HostSettings,
		/** Bytes of the largest report. */
		private readonly reportLimit: number,
		private readonly server: Server,
	) {
		this.keeper = new HostKeeper(settings);
		server.on('connection', (connection) => {
			this.welcome(connection);
		});
	}

	/**
	 * Starts the host, which imports the project.
	 *
	 * @throws {Error} saying why the project cannot be run, and what to do
	 */
	static async start(settings: HostSettings, reportLimit: number): Promise<Children> {
		const server = createServer();
		await new Promise<void>((resolve, reject) => {
			server.on('error', reject);
			server.listen(settings.socket, resolve);
		});
		const children = new Children(settings, reportLimit, server);
		try {
			await children.keeper.current();
		} catch (error) {
			await children.close();
			throw error;
		}
		return children;
	}

	/** What the host has reported about itself. */
	async about(): Promise<Imported> {
		const { imported } = await this.keeper.current();
		if (!imported) throw new Error('The host has not said what it has imported.');
		return imported;
	}

	/** Why no child can work at the moment. */
	get problem(): string | undefined {
		return this.keeper.problem;
	}

	/** Starts a child, once there is a host. */
	start(): Child {
		return new ConnectedChild(this.keeper.current(), this.expected);
	}

	/** Ends all of them at once, with the host. */
	async close(): Promise<void> {
		this.server.close();
		await this.keeper.close();
	}

	/** Finds out which child has connected, and gives it the connection. */
	private welcome(connection: Socket): void {
		let child: ConnectedChild | undefined;
		// A broken connection (its errors have a code) says as little about its child as a closed one, see `connect`.
		connection.on('error', (error) => {
			if (!('code' in error)) child?.noteFault(error);
		});
		readLines(
			connection,
			(line) => {
				const report = readMessage(line, CHILD_REPORTS);
				if (child) {
					child.hear(report);
					return;
				}
				if (report.type !== 'hello' || report.version !== PROTOCOL_VERSION) {
					throw new Error(`A child speaks another version than ${PROTOCOL_VERSION}.`);
				}
				child = this.expected.get(report.child);
				if (child) child.connect(connection, report.pid);
				else connection.destroy();
			},
			this.reportLimit,
		);
	}
}

class ConnectedChild implements Child {
	readonly exited: Promise<ChildExit>;
	readonly underWay: Promise<unknown>;
	private callsModel: () => void = () => undefined;
	private host: Host | undefined;
	private number: number | undefined;
	pid: number | undefined;
	private connection: Socket | undefined;
	private closed: Promise<void> = Promise.resolve();
	private orders: ChildOrder[] = [];
	private reports: ChildReport[] = [];
	private listener: ((report: ChildReport) => void) | undefined;
	private printed: string[] = [];
	private reader: Printed | undefined;
	private fault: Error | undefined;
	private alone: NodeJS.Timeout | undefined;
	private isOver = false;
	private isToEnd = false;
	/** Ends it before it has started. */
	private cancel: () => void = () => undefined;

	constructor(host: Promise<Host>, expected: Map<number, ConnectedChild>) {
		const cancelled = new Promise<never>((_resolve, reject) => {
			this.cancel = () => {
				reject(new Error('It ended before it had a host.'));
			};
		});
		this.exited = Promise.race([host, cancelled]).then(
			async (started) => {
				const { child, exited } = started.fork((lines) => {
					this.read(lines);
				});
				this.host = started;
				this.number = child;
				expected.set(child, this);
				if (this.isToEnd) this.end();
				const { code, signal, lines } = await exited;
				expected.delete(child);
				this.isOver = true;
				clearTimeout(this.alone);
				const isHostGone = code === null && signal === null;
				// Processes that it has left behind may keep the connection open.
				await Promise.race([this.closed, sleep(LAST_WORDS, undefined, { ref: false })]);
				this.connection?.destroy();
				const last = this.fault ? [this.fault.message] : [];
				return { code, signal, lines: [...lines, ...last], isHostGone, isEnded: this.isToEnd };
			},
			(error: unknown) => ({
				code: null,
				signal: null,
				lines: [(error as Error).message],
				isHostGone: true,
				isEnded: this.isToEnd,
			}),
		);
		const calling = new Promise<void>((resolve) => {
			this.callsModel = resolve;
		});
		this.underWay = Promise.race([calling, this.exited]);
	}

	get isLost(): boolean {
		return this.host?.isGone ?? false;
	}

	send(order: ChildOrder): void {
		if (this.connection) writeLine(this.connection, order);
		else this.orders.push(order);
	}

	onReport(listener: (report: ChildReport) => void): void {
		this.listener = listener;
		for (const report of this.reports.splice(0)) listener(report);
	}

	onPrinted(reader: Printed): void {
		this.reader = reader;
		reader(this.printed.splice(0));
	}

	end(): void {
		this.isToEnd = true;
		if (this.number === undefined) this.cancel();
		else this.host?.end(this.number);
	}

	connect(connection: Socket, pid: number): void {
		this.connection = connection;
		this.pid = pid;
		this.closed = new Promise((resolve) => {
			connection.on('close', () => {
				resolve();
				if (this.isOver) return;
				this.alone = setTimeout(() => {
					this.noteFault(new Error('It closed its connection to the crew server.'));
				}, LONGEST_ALONE);
			});
		});
		for (const order of this.orders.splice(0)) writeLine(connection, order);
	}

	private read(lines: readonly string[]): void {
		if (this.reader) this.reader(lines);
		else this.printed = [...this.printed, ...lines].slice(-MOST_UNREAD);
	}

	hear(report: ChildReport): void {
		if (report.type === 'event' && report.name === 'llm_call_started') this.callsModel();
		if (this.listener) this.listener(report);
		else this.reports.push(report);
	}

	noteFault(error: Error): void {
		this.fault = error;
		// It would wait for acknowledgments that cannot come.
		this.end();
	}
}
