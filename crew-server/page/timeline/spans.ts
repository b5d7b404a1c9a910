import type { EventView } from '../wire';

/** Turns events into spans of time. Pure functions, which add no guesses. */

export type Kind =
	| 'task'
	| 'agent'
	| 'model'
	| 'tool'
	| 'question'
	| 'guardrail'
	| 'memory'
	| 'knowledge'
	| 'reasoning'
	| 'flow'
	| 'method'
	| 'crew'
	| 'other';

export interface Span {
	/** The number of its first event. */
	id: number;
	kind: Kind;
	/** A tool's or a method's name, a model, a task. */
	name: string;
	task: string;
	/** The task of a crew inside a flow's method. */
	inner: string;
	agent: string;
	from: number;
	/** Absent until an event reports its end. */
	to?: number;
	hasFailed: boolean;
	begin?: EventView;
	end?: EventView;
	/** What the events do not say. */
	note?: string;
}

const FAMILIES: Array<[RegExp, Kind]> = [
	[/^(llm_guardrail|guardrail)/, 'guardrail'],
	[/^llm/, 'model'],
	[/^(tool_usage|mcp_tool)/, 'tool'],
	[/^agent_reasoning/, 'reasoning'],
	[/^(agent_execution|lite_agent)/, 'agent'],
	[/^memory/, 'memory'],
	[/^knowledge/, 'knowledge'],
	[/^method_execution/, 'method'],
	[/^flow/, 'flow'],
	[/^crew/, 'crew'],
	[/^task/, 'task'],
];

const BEGIN = /^(.*)_(?:started|requested)$/;
const END = /^(.*)_(completed|finished|failed|error|received|stopped)$/;

const QUESTION_NOTE =
	'The events do not say when the answer came: this is when the work continued.';

/** Takes events in order, possibly piece by piece, and keeps the spans that follow from them. */
export class Spans {
	readonly all: Span[] = [];
	last = 0;
	/** Spans without an end, by what the event of their end will have in common with them. */
	private readonly open = new Map<string, Span[]>();

	add(events: readonly EventView[]): void {
		for (const event of events) {
			this.last = event.number;
			this.take(event);
		}
	}

	private take(event: EventView): void {
		const { type } = event;
		const task = textIn(event, 'task_id');
		if (type === 'human_feedback_requested') {
			// The work on the task is over until someone answers.
			this.closeTask(task, event, false);
			this.begin(event, 'question', keyOf('question', event), '');
			return;
		}
		if (/^task_(started|completed|failed)$/.test(type)) this.endQuestion(task, event);
		const begin = BEGIN.exec(type)?.[1];
		const [, end, word] = END.exec(type) ?? [];
		if (begin !== undefined) this.begin(event, kindOf(type), keyOf(begin, event), nameOf(event));
		else if (end !== undefined)
			this.end(event, keyOf(end, event), word === 'failed' || word === 'error');
		else this.moment(event);
	}

	private begin(event: EventView, kind: Kind, key: string, name: string): void {
		const span: Span = {
			...placeOf(event),
			id: event.number,
			kind,
			name,
			from: event.at,
			hasFailed: false,
			begin: event,
		};
		this.all.push(span);
		this.open.set(key, [...(this.open.get(key) ?? []), span]);
	}

	private end(event: EventView, key: string, hasFailed: boolean): void {
		const [span, ...others] = this.open.get(key) ?? [];
		if (span) {
			this.open.set(key, others);
			span.to = event.at;
			span.end = event;
			span.hasFailed = hasFailed || event.data['success'] === false;
			return;
		}
		// The end of a task that a person has approved is reported once more.
		const asked = this.all.findLast(
			(one) => one.kind === 'task' && one.task === textIn(event, 'task_id'),
		);
		if (kindOf(event.type) === 'task' && asked) {
			asked.end = event;
			asked.hasFailed = hasFailed;
			return;
		}
		this.moment(event, 'The events do not say when it started.', hasFailed);
	}

	private moment(event: EventView, note?: string, hasFailed = false): void {
		const { number: id, at, type } = event;
		const name = nameOf(event);
		this.all.push({
			...placeOf(event),
			id,
			kind: kindOf(type),
			name,
			from: at,
			to: at,
			hasFailed,
			end: event,
			note,
		});
	}

	private closeTask(task: string, event: EventView, hasFailed: boolean): void {
		for (const [key, spans] of this.open) {
			for (const span of spans) {
				if (span.kind !== 'task' || span.task !== task) continue;
				span.to = event.at;
				span.hasFailed = hasFailed;
				this.open.set(
					key,
					spans.filter((one) => one !== span),
				);
			}
		}
	}

	private endQuestion(task: string, event: EventView): void {
		const span = this.all.findLast((one) => one.kind === 'question' && one.task === task);
		if (!span || span.to !== undefined) return;
		span.to = event.at;
		span.note = QUESTION_NOTE;
	}
}

function kindOf(type: string): Kind {
	return FAMILIES.find(([pattern]) => pattern.test(type))?.[1] ?? 'other';
}

/** What the events of a start and of its end have in common. */
function keyOf(family: string, event: EventView): string {
	const fields = [
		'call_id',
		'task_id',
		'task_name',
		'agent_role',
		'tool_name',
		'method_name',
		'crew_name',
		'flow_name',
	];
	return [
		family.replace(/^human_feedback$/, 'question'),
		...fields.map((name) => textIn(event, name)),
	].join('\n');
}

function placeOf(event: EventView): Pick<Span, 'task' | 'inner' | 'agent'> {
	const task = textIn(event, 'task_id');
	const name = textIn(event, 'task_name');
	return { task, inner: name === task ? '' : name, agent: textIn(event, 'agent_role') };
}

function nameOf(event: EventView): string {
	const fields = ['tool_name', 'method_name', 'model'];
	const kind = kindOf(event.type);
	if (kind === 'task') fields.unshift('task_name');
	if (kind === 'agent') fields.unshift('agent_role');
	if (kind === 'crew' || kind === 'flow') fields.unshift('crew_name', 'flow_name');
	const name = fields.map((one) => textIn(event, one)).find((text) => text !== '');
	return name ?? (kind === 'other' ? event.type.replaceAll('_', ' ') : '');
}

function textIn({ data }: EventView, name: string): string {
	const value = data[name];
	return typeof value === 'string' ? value : '';
}

/** A row of bars that do not overlap. */
export interface Lane {
	key: string;
	/** `task`: the task's own bars; `agent`: what its agent does. */
	kind: 'task' | 'agent';
	title: string;
	/** How deep it is nested. */
	depth: number;
	spans: Span[];
}

/** Spans in rows: those of a task, and below them those of its agents. What belongs to no task is under the crew. */
export function lanesOf(spans: readonly Span[], titles: ReadonlyMap<string, string>): Lane[] {
	const groups = new Map<string, Span[]>();
	for (const span of spans) {
		const group = groups.get(span.task);
		if (group) group.push(span);
		else groups.set(span.task, [span]);
	}
	return [...groups].flatMap(([task, own]) => lanesOfGroup(task, own, titles));
}

/** What a task's own rows show. Its agents' rows show everything else. */
const IN_TASK_LANE: readonly Kind[] = ['task', 'question', 'crew', 'flow', 'method'];
/** The same for what belongs to no task: what is nested in what. */
const NESTED: readonly Kind[][] = [
	['crew', 'flow'],
	['method', 'task', 'question'],
];

function lanesOfGroup(task: string, own: Span[], titles: ReadonlyMap<string, string>): Lane[] {
	const levels = task === '' ? NESTED : [IN_TASK_LANE];
	const title = task === '' ? 'Crew' : (titles.get(task) ?? task);
	const ofTask = levels.flatMap((kinds, depth) =>
		lanesIn(
			own.filter(({ kind }) => kinds.includes(kind)),
			{
				key: `${task}/${depth}`,
				kind: 'task',
				title: depth === 0 ? title : '',
				depth,
			},
		),
	);
	const byAgent = new Map<string, Span[]>();
	for (const span of own) {
		if (IN_TASK_LANE.includes(span.kind)) continue;
		const key = [span.inner, span.agent || 'Agent unknown'].filter(Boolean).join(' · ');
		const spans = byAgent.get(key);
		if (spans) spans.push(span);
		else byAgent.set(key, [span]);
	}
	const ofAgents = [...byAgent].flatMap(([title, spans]) =>
		lanesIn(spans, { key: `${task}//${title}`, kind: 'agent', title, depth: levels.length }),
	);
	return [...ofTask, ...ofAgents];
}

/** As many rows as there are bars at the same time; the first has the title. */
function lanesIn(spans: readonly Span[], { key, title, ...lane }: Omit<Lane, 'spans'>): Lane[] {
	return rowsOf(spans).map((row, index) => ({
		...lane,
		key: `${key}/${index}`,
		title: index === 0 ? title : '',
		spans: row,
	}));
}

/** Bars that do not overlap share a row; an agent's own bar is the background of what it does. */
function rowsOf(spans: readonly Span[]): Span[][] {
	const rows: Array<{ spans: Span[]; until: number }> = [];
	for (const span of spans) {
		const until = span.kind === 'agent' ? span.from : (span.to ?? Infinity);
		const row = rows.find((one) => one.until <= span.from);
		if (row) {
			row.spans.push(span);
			row.until = until;
		} else rows.push({ spans: [span], until });
	}
	return rows.map((row) => row.spans);
}
