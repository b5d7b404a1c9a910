import { setTimeout as sleep } from 'node:timers/promises';

import { Command } from '../../crew-server/support/command';

/** Milliseconds in which the server ends in order. */
const LONGEST_END = 5_000;

/** A server that is started again whenever it has ended, as a service is. */
export class ServedAgain {
	private command: Command;

	constructor(
		private readonly args: string[],
		private readonly env: Record<string, string>,
	) {
		this.command = this.start();
	}

	get pid(): number | undefined {
		return this.command.pid;
	}

	private start(): Command {
		return new Command(this.args, { env: this.env });
	}

	/** Waits until it listens. */
	async listens(): Promise<void> {
		await this.command.said(/(URL)/);
	}

	signal(signal: NodeJS.Signals): void {
		this.command.kill(signal);
	}

	stopReading(): void {
		this.command.stopReading();
	}

	async kill(): Promise<void> {
		await this.end();
		this.command = this.start();
	}

	/** @returns what was wrong with its end */
	async restart(): Promise<string | undefined> {
		this.command.kill('SIGTERM');
		const code = await Promise.race([this.command.ended, sleep(LONGEST_END, 'no end')]);
		const problem = code === 0 ? undefined : `SIGTERM ends with ${code}: ${this.command.output}`;
		await this.kill();
		return problem;
	}

	async end(): Promise<void> {
		this.command.kill('SIGKILL');
		await this.command.ended;
	}

	/** Whether it has ended by itself, and what it has printed last. */
	get death(): string | undefined {
		return this.command.hasEnded ? this.command.output.slice(-2_000) : undefined;
	}
}
