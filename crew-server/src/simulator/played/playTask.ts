import { setTimeout as sleep } from 'node:timers/promises';

import type { Step, TokenUsage } from '../../domain/execution';
import { fillTemplate, placeholdersOf, textsOf } from '../../domain/template';
import { TaskFailure } from '../../worker/taskFailure';
import { DEFAULT_DURATION, type CrewTask } from '../crew/definition';
import { beginningOf, type Assignment } from './assignment';

export interface WorkConditions {
	/** Aborted when the work must end. */
	signal: AbortSignal;
	/** Takes each thought or action as it happens. */
	onStep: (step: Step) => Promise<void>;
}

export interface WorkResult {
	output: string;
	tokenUsage: TokenUsage;
}

/** About how many characters a model reads as one token. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Plays a task as its definition says: takes its time, reports its tools, fills its template.
 *
 * @throws {TaskFailure} if its definition says so
 */
export async function playTask(
	task: CrewTask,
	assignment: Assignment,
	{ signal, onStep }: WorkConditions,
): Promise<WorkResult> {
	const tools = task.tools ?? [];
	const timePerStep = durationOf(task, assignment) / (tools.length + 1);
	const { prompt, inputs } = assignment;
	for (const tool of tools) {
		await sleep(timePerStep, undefined, { signal });
		await onStep({
			prompt,
			thought: `I need to use ${tool} for this.`,
			tool,
			tool_input: beginningOf(JSON.stringify(namedIn(task, inputs))),
			result: `${tool} found what was asked for.`,
		});
	}
	await sleep(timePerStep, undefined, { signal });
	const failure = fill(task.failure ?? '', inputs);
	if (failure !== '') throw new TaskFailure(failure);
	const output = playedOutput(task, assignment);
	await onStep({ prompt, thought: 'I now can give a great answer.', result: output });
	return { output, tokenUsage: tokensOf(prompt, output) };
}

function fill(text: string, values: Readonly<Record<string, unknown>>): string {
	return fillTemplate(text, textsOf(values, beginningOf));
}

/** The inputs that a task mentions. */
function namedIn({ description }: CrewTask, inputs: Readonly<Record<string, unknown>>): object {
	const names = placeholdersOf(description).filter((name) => Object.hasOwn(inputs, name));
	return Object.fromEntries(names.map((name) => [name, inputs[name]]));
}

function durationOf({ duration = DEFAULT_DURATION }: CrewTask, { inputs }: Assignment): number {
	if (typeof duration === 'number') return duration;
	const milliseconds = Number(fill(duration, inputs));
	return milliseconds >= 0 ? milliseconds : DEFAULT_DURATION;
}

function playedOutput(task: CrewTask, { inputs, feedback }: Assignment): string {
	const words = feedback.at(-1)?.text ?? '';
	const showsFeedback = task.output.includes('{human_feedback}');
	// Copied only if needed: there may be many.
	const values = showsFeedback ? { ...inputs, human_feedback: words } : inputs;
	const output = fill(task.output, values);
	const rejection = feedback.findLast(
		({ taskId, isApprove }) => taskId === task.name && !isApprove,
	);
	return rejection && !showsFeedback
		? `${output}\n\nRevised as asked: ${beginningOf(rejection.text)}`
		: output;
}

function tokensOf(prompt: string, output: string): TokenUsage {
	const prompt_tokens = Math.ceil(prompt.length / CHARACTERS_PER_TOKEN);
	const completion_tokens = Math.ceil(output.length / CHARACTERS_PER_TOKEN);
	return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
