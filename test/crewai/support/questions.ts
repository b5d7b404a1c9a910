import type { Client } from '../../crew-server/support/client';
import { until } from '../../crew-server/support/until';
import { PATIENCE } from './deployment';

/** The status of an execution, once a condition holds. */
export async function statusWhen(
	client: Client,
	kickoffId: string,
	holds: (status: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
	return await until(async () => {
		const { body } = await client.get(`/${kickoffId}/status`);
		return holds(body) && body;
	}, PATIENCE);
}

/** The status of an execution once it has ended or asks a person. */
export const pauseOrEnd = async (client: Client, kickoffId: string) =>
	await statusWhen(client, kickoffId, ({ status }) => PAUSES_AND_ENDS.includes(String(status)));

const PAUSES_AND_ENDS = ['pending_human_input', 'completed', 'error'];

/** Approves or rejects a task's output. @returns the server's answer */
export async function answer(
	client: Client,
	kickoffId: string,
	taskId: string,
	isApprove: boolean,
	feedback = '',
	callbacks: object = {},
): Promise<Record<string, unknown>> {
	const { body } = await client.resume(kickoffId, {
		task_id: taskId,
		human_feedback: feedback,
		is_approve: isApprove,
		...callbacks,
	});
	return body;
}
