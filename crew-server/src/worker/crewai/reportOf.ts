import type { Output } from '../../domain/execution';
import type { Report as RunReport } from '../../domain/messages';
import { refuseHugeOutput } from '../taskFailure';
import type { ChildReport, Report } from './protocol';

/**
 * A child's report, in the words of the domain.
 *
 * @param limit bytes of the largest output that a task may have
 * @throws {TaskFailure} if an output is larger
 * @throws {Error} if it is a message that is not about an execution, such as `hello`
 */
export function reportOf(report: ChildReport, limit: number): RunReport {
	switch (report.type) {
		case 'step':
			return { type: 'step', step: stepOf(report, limit) };
		case 'tokens':
			return { type: 'tokens', usage: usageOf(report) };
		case 'event':
			return { type: 'event', name: report.name, data: report.data };
		case 'file_written':
			return { type: 'file_written' };
		case 'hello':
		case 'described':
			throw new Error(`A child that works on an execution sent ${report.type}.`);
		default:
			return lastingReportOf(report, limit);
	}
}

/** The reports for which the child waits until the store has them. */
function lastingReportOf(
	report: Extract<ChildReport, { number: number }>,
	limit: number,
): RunReport {
	switch (report.type) {
		case 'checkpoint':
			return { type: 'checkpoint', checkpoint: report.checkpoint };
		case 'task_begun':
			return { type: 'task_begun', taskId: report.task_id, texts: textsOf(report) };
		case 'question':
			return {
				...ofTask(report, limit),
				type: 'question',
				reason: report.reason ?? undefined,
				isBlocking: !report.works_on,
			};
		case 'paused':
			return { type: 'paused' };
		case 'task_skipped':
			return { type: 'task_skipped', taskId: report.task_id };
		case 'task_done':
			return { ...ofTask(report, limit), type: 'task_done', texts: textsOf(report) };
		case 'task_lost':
			return { type: 'task_lost', taskId: report.task_id, error: report.error };
		case 'crew_done':
			return { type: 'crew_done', result: outputOf(report, limit) };
		case 'failed':
			return { type: 'failed', error: report.error };
	}
}

/** A task's output, with what is kept to continue from there. At a question, `null` means that no other process can. */
function ofTask(report: Report<'question' | 'task_done'>, limit: number) {
	const isQuestion = report.type === 'question';
	return {
		taskId: report.task_id,
		...outputOf(report, limit),
		checkpoint: isQuestion ? report.checkpoint : (report.checkpoint ?? undefined),
	};
}

function outputOf(
	{ output, output_json }: Report<'question' | 'task_done' | 'crew_done'>,
	limit: number,
): Output {
	refuseHugeOutput(Buffer.byteLength(output), limit);
	return { output, outputJson: output_json ?? undefined };
}

function stepOf({ prompt, thought, tool, tool_input, result }: Report<'step'>, limit: number) {
	refuseHugeOutput(Buffer.byteLength(result), limit);
	return {
		prompt,
		thought,
		...(tool === null ? {} : { tool, tool_input: tool_input ?? '' }),
		result,
	};
}

function usageOf({ total, prompt, completion }: Report<'tokens'>) {
	return { total_tokens: total, prompt_tokens: prompt, completion_tokens: completion };
}

function textsOf({ description, expected_output, agent }: Report<'task_begun' | 'task_done'>) {
	return { description, expectedOutput: expected_output, agent };
}
