import { useEffect, useState } from 'preact/hooks';

import { get, withQuery } from '../api';
import { count, duration, plural, time, wholeMoment } from '../format';
import { TextView } from '../parts/TextView';
import type { EventView } from '../wire';
import type { Kind, Span } from './spans';

export const KIND_WORDS: Record<Kind, string> = {
	task: 'Task',
	agent: 'Agent',
	model: 'Model call',
	tool: 'Tool',
	question: 'Question',
	guardrail: 'Guardrail',
	memory: 'Memory',
	knowledge: 'Knowledge',
	reasoning: 'Reasoning',
	flow: 'Flow',
	method: 'Method',
	crew: 'Crew',
	other: 'Event',
};

/** The names of texts in events, and their titles for people. */
const TEXTS: Record<string, string> = {
	task_prompt: 'Prompt',
	prompt: 'Prompt',
	messages: 'Prompt',
	tool_args: 'Arguments',
	inputs: 'Inputs',
	response: 'Answer',
	output: 'Output',
	plan: 'Plan',
	error: 'Error',
	reason: 'Reason',
	text: 'Text',
};

/** What someone will look for, by any of its names. If the events do not have it, the page says so. */
const EXPECTED: Partial<Record<Kind, string[][]>> = {
	model: [['model'], ['prompt', 'messages'], ['response'], ['usage']],
	tool: [['tool_args'], ['output']],
	agent: [['task_prompt', 'messages'], ['output']],
};
const EXPECTED_WORDS: Record<string, string> = {
	...TEXTS,
	model: 'Model',
	usage: 'Tokens',
	output: 'Result',
};

const PLACES = new Set([
	'task_id',
	'task_name',
	'agent_role',
	'model',
	'usage',
	'tool_name',
	'success',
	'call_id',
	'repeated_messages',
]);

interface SpanDetailsProps {
	span: Span;
	id: string;
	isLive: boolean;
	onClose: () => void;
}

/** All that is known of a span. */
export function SpanDetails({ span, id, isLive, onClose }: SpanDetailsProps) {
	const begin = useWhole(id, span.begin);
	const end = useWhole(id, span.end);
	const data = { ...begin?.data, ...end?.data };
	const { kind, name, from, to, agent, task, hasFailed, note } = span;
	const texts = Object.entries(data).filter(
		([field, value]) => !PLACES.has(field) && !isEmpty(value),
	);
	const repeated = data['repeated_messages'];
	const isOver = span.end !== undefined || !isLive;
	const missing = isOver
		? (EXPECTED[kind] ?? []).filter((names) => isMissing(data, names, hasFailed))
		: [];
	return (
		<section class="card details" aria-label={`${KIND_WORDS[kind]} ${name}`.trim()}>
			<div class="details-head">
				<h2>
					<span class="dot" data-kind={kind} /> {KIND_WORDS[kind]} {name}
				</h2>
				<button type="button" class="quiet" onClick={onClose}>
					Close
				</button>
			</div>
			<dl class="facts">
				<Fact name="State" value={stateOf(span, isLive)} />
				<Fact name="Began" value={span.begin ? time(from) : 'Unknown'} title={wholeMoment(from)} />
				{to !== undefined && span.begin && <Fact name="Took" value={duration(to - from)} />}
				{task && <Fact name="Task" value={task} />}
				{agent && <Fact name="Agent" value={agent} />}
				{typeof data['model'] === 'string' && <Fact name="Model" value={data['model']} />}
				{isRecord(data['usage']) && <Fact name="Tokens" value={usageText(data['usage'])} />}
			</dl>
			{note && <p class="faint">{note}</p>}
			{typeof repeated === 'number' && (
				<p class="faint">
					The prompt begins with the {plural(repeated, 'message')} of the calls before.
				</p>
			)}
			{texts.map(([field, value]) => (
				<div key={field}>
					<h3>{TEXTS[field] ?? field.replaceAll('_', ' ')}</h3>
					<TextView
						name={TEXTS[field] ?? field}
						shown={{ text: field === 'messages' ? conversation(value) : asText(value) }}
					/>
				</div>
			))}
			{missing.length > 0 && (
				<p class="faint">
					The events do not say:{' '}
					{missing.map(([field = '']) => EXPECTED_WORDS[field] ?? field).join(', ')}.
				</p>
			)}
		</section>
	);
}

function isMissing(data: Record<string, unknown>, names: string[], hasFailed: boolean): boolean {
	if (hasFailed && names.some((name) => ['output', 'response', 'usage'].includes(name)))
		return false;
	// An empty list means that there was no new message.
	return names.every((name) => isEmpty(data[name]) && !isEmptyList(data[name]));
}

function isEmpty(value: unknown): boolean {
	return value === null || value === undefined || value === '' || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function stateOf({ to, end, hasFailed, kind }: Span, isLive: boolean): string {
	if (hasFailed) return 'Failed';
	if (end !== undefined || to !== undefined) return kind === 'question' ? 'Answered' : 'Done';
	if (!isLive) return 'The events do not say when it ended';
	return kind === 'question' ? 'Open' : 'Running';
}

function Fact({ name, value, title }: { name: string; value: string; title?: string }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd title={title}>{value}</dd>
		</div>
	);
}

function usageText(usage: Record<string, unknown>): string {
	const number = (...names: string[]) => {
		const value = names.map((name) => usage[name]).find((one) => typeof one === 'number');
		return typeof value === 'number' ? value : undefined;
	};
	const total = number('total_tokens', 'totalTokens');
	const sent = number('prompt_tokens', 'input_tokens', 'prompt_token_count', 'inputTokens');
	const received = number(
		'completion_tokens',
		'output_tokens',
		'candidates_token_count',
		'outputTokens',
	);
	const parts = [
		sent !== undefined && `${count(sent)} in`,
		received !== undefined && `${count(received)} out`,
	].filter(Boolean);
	const sum = total ?? (sent ?? 0) + (received ?? 0);
	return `${count(sum)}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

/** The messages of each side, as Markdown. */
function conversation(messages: unknown): string {
	if (!Array.isArray(messages)) return asText(messages);
	return messages.map(saidIn).join('\n\n');
}

function saidIn(message: unknown): string {
	if (!isRecord(message)) return asText(message);
	const { role, content, ...more } = message;
	const calls = isEmpty(more['tool_calls']) ? '' : fenced(asText(more['tool_calls']));
	return `**${String(role)}**\n\n${isEmpty(content) ? '' : asText(content)}${calls}`;
}

function fenced(json: string): string {
	return `\n\n~~~json\n${json}\n~~~`;
}

function asText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The event with its whole texts, once they are loaded. */
function useWhole(id: string, event: EventView | undefined): Pick<EventView, 'data'> | undefined {
	const [whole, setWhole] = useState<{ of: number; event: Pick<EventView, 'data'> }>();
	useEffect(() => {
		if (!event?.isCut) return;
		get<Pick<EventView, 'data'>>(withQuery('page/event', { id, number: event.number })).then(
			(answer) => {
				const data = { ...answer.data };
				delete data['emission_sequence'];
				setWhole({ of: event.number, event: { data } });
			},
			() => undefined,
		);
	}, [id, event?.number]);
	return whole && whole.of === event?.number ? whole.event : event;
}
