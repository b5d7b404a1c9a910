/** The work did not produce an output. Clients see the message as the execution's error. */
export class TaskFailure extends Error {
	override readonly name = 'TaskFailure';
}

/**
 * Refuses an output before it is stored, sent, or even created.
 *
 * @throws {TaskFailure} with both sizes
 */
export function refuseHugeOutput(bytes: number, limit: number): void {
	if (bytes <= limit) return;
	const megabytes = (size: number) => `${Math.ceil((size / 1024 ** 2) * 10) / 10} MB`;
	throw new TaskFailure(
		`The output of the task has ${megabytes(bytes)}, and this deployment accepts at most ${megabytes(limit)}.`,
	);
}
