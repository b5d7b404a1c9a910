import { setTimeout as sleep } from 'node:timers/promises';

import { Host, type HostSettings } from './host';

/** Milliseconds before a new host follows one that has ended; doubled as long as none of them lasts. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds after which a host counts as lasting. */
const LASTING = 60_000;
/** Milliseconds without a host that are not yet reported as a problem. */
const SHORT = 20_000;

/** Keeps one host running: if it ends, another one follows after a pause. */
export class HostKeeper {
	/** Why no work can be done at the moment. */
	problem: string | undefined;
	private host: Promise<Host>;
	private newest: Host | undefined;
	private pause = 0;
	private readonly closing = new AbortController();

	constructor(private readonly settings: HostSettings) {
		this.host = this.launch();
	}

	/**
	 * The host, once there is one.
	 *
	 * @throws {Error} if the first one cannot be started, saying why and what to do; at the end
	 */
	current(): Promise<Host> {
		return this.host;
	}

	/** Ends the host with all its children at once. */
	async close(): Promise<void> {
		this.closing.abort();
		await this.newest?.close();
	}

	private async launch(): Promise<Host> {
		const host = await Host.start(this.settings, (spawned) => {
			this.newest = spawned;
		});
		const since = performance.now();
		void host.gone.then(() => {
			if (this.closing.signal.aborted) return;
			this.pause = performance.now() - since > LASTING ? FIRST_PAUSE : longer(this.pause);
			this.host = this.launchAgain();
			// Nobody may be waiting for it.
			this.host.catch(() => undefined);
		});
		return host;
	}

	private async launchAgain(): Promise<Host> {
		const { log } = this.settings;
		const late = setTimeout(() => {
			this.problem ??= "The crew's Python process has ended, and has not started again yet";
		}, SHORT);
		try {
			for (;;) {
				await sleep(this.pause, undefined, { signal: this.closing.signal });
				try {
					const host = await this.launch();
					log.info({}, 'host_started');
					this.problem = undefined;
					return host;
				} catch (error) {
					this.problem = (error as Error).message;
					if (!this.closing.signal.aborted) log.error({ err: error }, 'host_not_started');
					this.pause = longer(this.pause);
				}
			}
		} finally {
			clearTimeout(late);
		}
	}
}

function longer(pause: number): number {
	return Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, pause * 2));
}
