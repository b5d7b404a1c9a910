import { setTimeout as sleep } from 'node:timers/promises';

import { Command } from '../../crew-server/support/command';

/** Milliseconds within which the server has to shut down. */
const LONGEST_END = 5_000;

/** A server that is started again after each end, like a service. */
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

	/** @returns the problem with its end, if any */
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

	/** If it has ended by itself, the end of its output. */
	get death(): string | undefined {
		return this.command.hasEnded ? this.command.output.slice(-2_000) : undefined;
	}
}
