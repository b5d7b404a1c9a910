/**
 * The command of the crew server, which also writes its worker's progress to a history (`FLEET_HISTORY`): before each
 * report goes to the store, and once the store has it. With a played crew, which has no `--parallel`, its worker has
 * room for `FLEET_ROOM` executions.
 */
import type { Report } from '../../../crew-server/src/domain/messages';
import { ClaimedRun } from '../../../crew-server/src/worker/claimedRun';
import { Worker } from '../../../crew-server/src/worker/worker';
import '../../../crew-server/src/main';
import { History, type Effect } from './history';

const history = new History(process.env['FLEET_HISTORY'] ?? '/dev/null');
const report: (this: ClaimedRun, ...reports: Report[]) => Promise<boolean> = Reflect.get(
	ClaimedRun.prototype,
	'report',
);

ClaimedRun.prototype.report = async function (this: ClaimedRun, ...reports: Report[]) {
	// Work that is no longer this worker's does not count, even if its process still reports it.
	this.endIfLapsed();
	const isHeld = Reflect.get(this, 'hold') === 'held';
	const tell = (effects: Effect[]) => {
		if (isHeld) for (const effect of effects) history.add(effect);
	};
	const of = (task: string) => ({
		id: this.execution.kickoffId,
		task,
		worker: String(process.pid),
	});
	const ended = reports.flatMap((one) =>
		one.type === 'task_done' || one.type === 'question' ? [of(one.taskId)] : [],
	);
	const begun = reports.flatMap((one) => (one.type === 'task_begun' ? [of(one.taskId)] : []));
	tell(begun.map((one) => ({ what: 'begun', ...one })));
	tell(ended.map((one) => ({ what: 'finished', ...one })));
	const isTaken = await report.apply(this, reports);
	// The store may have accepted only the first of several reports.
	const isSettled = ({ task }: { task: string }) =>
		this.execution.tasks.some(
			({ taskId, state }) => taskId === task && state !== 'running' && state !== 'waiting',
		);
	tell(ended.filter(isSettled).map((one) => ({ what: 'stored', ...one })));
	return isTaken;
};

const start: (this: Worker) => void = Reflect.get(Worker.prototype, 'start');

Worker.prototype.start = function (this: Worker) {
	const size = process.env['FLEET_ROOM'];
	if (size !== undefined) Reflect.set(Reflect.get(this, 'room'), 'size', Number(size));
	start.apply(this);
};
