import { eventHappened, heldEvents, isHeld, type CallbackPayload } from './callbackPayloads';
import type { Execution, StreamEvent, Task } from './execution';
import type { DueCallback } from './targets';

/** What follows from a command or a report: the next execution, and its new events and callbacks. */
export interface Change {
	readonly execution: Execution;
	readonly events: readonly StreamEvent[];
	readonly callbacks: readonly DueCallback[];
}

/** A change that is being made; the original execution is not modified. */
export class Draft implements Change {
	readonly events: StreamEvent[] = [];
	readonly callbacks: DueCallback[] = [];

	constructor(
		public execution: Execution,
		/** Milliseconds since 1970. */
		readonly now: number,
	) {}

	set(fields: Partial<Execution>): void {
		this.execution = { ...this.execution, ...fields };
	}

	/** @param isMeant says which tasks get the fields */
	setTasks(isMeant: (task: Task) => boolean, fields: (task: Task) => Partial<Task>): void {
		const tasks = this.execution.tasks.map((task) =>
			isMeant(task) ? { ...task, ...fields(task) } : task,
		);
		this.set({ tasks });
	}

	/** @returns the task with its new fields */
	setTask(task: Task, fields: Partial<Task>): Task {
		const next = { ...task, ...fields };
		const tasks = this.execution.tasks.map((one) => (one.taskId === task.taskId ? next : one));
		this.set({ tasks });
		return next;
	}

	/** Adds an event for the stream. */
	tell(type: string, data: Record<string, unknown>): void {
		const { kickoffId: execution_id, events, heldFrom } = this.execution;
		const emission_sequence = events + 1;
		const head = {
			id: `${execution_id}-${emission_sequence}`,
			execution_id,
			timestamp: new Date(this.now).toISOString(),
			type,
		};
		const entry = { ...head, data: { ...data, emission_sequence } };
		this.events.push(entry);
		this.call(eventHappened(this.execution, entry));
		this.set({
			events: emission_sequence,
			lastEvent: head,
			...(isHeld(this.execution, type) ? { heldFrom: heldFrom ?? emission_sequence } : {}),
		});
	}

	/** Adds callbacks, in the order in which they are to arrive. */
	call(payloads: readonly CallbackPayload[]): void {
		for (const { kind, target, body, held } of payloads) {
			const { url, authentication } = target;
			const { kickoffId, meta, callbackCount } = this.execution;
			const tellsExecution = kind === 'human_input' || kind === 'stream';
			this.callbacks.push({
				id: `${kickoffId}-${kind}-${callbackCount + 1}`,
				kickoffId,
				kind,
				url,
				authentication,
				body: {
					...body,
					...(tellsExecution ? {} : { kickoff_id: kickoffId }),
					...(meta === undefined ? {} : { meta }),
				},
				...(held ? { held } : {}),
			});
			this.set({ callbackCount: callbackCount + 1 });
		}
	}

	/** Adds a callback with the held events. */
	releaseEvents(): void {
		this.call(heldEvents(this.execution));
		this.set({ heldFrom: undefined });
	}
}
