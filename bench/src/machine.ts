import { arch, cpus, platform, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which the machine is observed. */
const LOOK = 500;

/** What figures depend on of the machine. */
export function describeMachine(): string {
	const [first] = cpus();
	const gigabytes = Math.round(totalmem() / 1024 ** 3);
	return `${cpus().length} × ${first?.model.trim() ?? 'unknown'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}

/** Milliseconds that all processors have worked since the machine started, without this process. */
function workedElsewhere(): number {
	const { user, system } = process.cpuUsage();
	const all = cpus().reduce((sum, { times }) => {
		return sum + times.user + times.nice + times.sys + times.irq;
	}, 0);
	return all - (user + system) / 1_000;
}

/** The share of all processors, 0 to 1, that other processes use for a moment. */
export async function lookForOtherWork(): Promise<number> {
	const [before, began] = [workedElsewhere(), performance.now()];
	await sleep(LOOK);
	const share = (workedElsewhere() - before) / ((performance.now() - began) * cpus().length);
	return Math.min(1, Math.max(0, share));
}
