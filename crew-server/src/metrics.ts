import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

import type { Store } from './store/store';

/** The metrics of the process, once for all deployments in it: some are measured only from the first request on. */
let ofProcess: Registry | undefined;

function processRegistry(): Registry {
	if (!ofProcess) {
		ofProcess = new Registry();
		collectDefaultMetrics({ register: ofProcess });
	}
	return ofProcess;
}

const UNFINISHED = ['queued', 'running', 'pending_human_input'] as const;
const ENDED = ['completed', 'failed', 'stopped'] as const;

/** Metrics of a deployment, for Prometheus. */
export class Metrics {
	private readonly registry = new Registry();
	private readonly isStoreUp = new Gauge(this.named('store_up', 'Whether the data can be read'));
	private readonly unfinished = new Gauge(
		this.named('executions', 'Executions that have not ended, of all servers', ['state']),
	);
	private readonly longestWait = new Gauge(
		this.named('queue_oldest_seconds', 'How long the oldest queued execution has waited'),
	);
	private readonly callbacks = new Gauge(
		this.named(
			'callbacks_due',
			'Callbacks that are neither delivered nor given up, of all servers',
		),
	);
	private readonly parallel = new Gauge(
		this.named('parallel', 'Executions that this server runs at most'),
	);
	private readonly running = new Gauge(this.named('running', 'Executions that this server runs'));
	private readonly free = new Gauge(this.named('free', 'Executions that this server has room for'));
	private readonly ended = new Counter(
		this.named('executions_ended_total', 'Executions that this server has brought to an end', [
			'state',
		]),
	);
	private readonly takeovers = new Counter(
		this.named(
			'takeovers_total',
			'Executions that this server has taken over from one that died, or from an earlier process',
		),
	);

	constructor(
		private readonly store: Store,
		private readonly usage: () => { parallel: number; running: number },
	) {}

	get contentType(): string {
		return this.registry.contentType;
	}

	/** All metrics, without those of the store if it cannot be read now. */
	async text(): Promise<string> {
		const { parallel, running } = this.usage();
		this.parallel.set(parallel);
		this.running.set(running);
		this.free.set(Math.max(0, parallel - running));
		this.count();
		await this.look();
		return await Registry.merge([this.registry, processRegistry()]).metrics();
	}

	private count(): void {
		const { ended, takeovers } = this.store.tally;
		this.ended.reset();
		for (const state of ENDED) this.ended.inc({ state }, ended[state]);
		this.takeovers.reset();
		this.takeovers.inc(takeovers);
	}

	private async look(): Promise<void> {
		const backlog = await this.store.backlog().catch(() => undefined);
		this.isStoreUp.set(backlog ? 1 : 0);
		this.unfinished.reset();
		this.longestWait.remove();
		this.callbacks.remove();
		if (!backlog) return;
		for (const state of UNFINISHED) this.unfinished.set({ state }, backlog.unfinished[state]);
		this.longestWait.set(backlog.longestWait / 1_000);
		this.callbacks.set(backlog.callbacks);
	}

	private named<Label extends string>(name: string, help: string, labelNames: Label[] = []) {
		return { name: `crew_server_${name}`, help, labelNames, registers: [this.registry] };
	}
}
