import { Scale } from '../../../crew-server/page/timeline/scale';
import { lanesOf, Spans } from '../../../crew-server/page/timeline/spans';
import type { EventView } from '../../../crew-server/src/page/wire';

/** Events at these seconds, numbered in their order. */
function eventsAt(...given: Array<[number, string, Record<string, unknown>?]>): EventView[] {
	return given.map(([at, type, data = {}], index) => ({
		number: index + 1,
		at: at * 1_000,
		type,
		data,
	}));
}

function spansOf(...given: Parameters<typeof eventsAt>) {
	const spans = new Spans();
	const events = eventsAt(...given);
	// They come in pieces.
	spans.add(events.slice(0, 2));
	spans.add(events.slice(2));
	return spans.all;
}

const draft = { task_id: 'draft', task_name: 'draft', agent_role: 'Writer' };
const search = { ...draft, tool_name: 'search' };

it('pairs starts and ends by what they have in common, even at the same time', () => {
	const other = { task_id: 'facts', task_name: 'facts', agent_role: 'Scout' };
	const spans = spansOf(
		[0, 'task_started', draft],
		[0, 'task_started', other],
		[1, 'llm_call_started', { ...draft, model: 'm' }],
		[1, 'llm_call_started', { ...other, model: 'm' }],
		[2, 'llm_call_completed', { ...other, model: 'm' }],
		[3, 'llm_call_failed', { ...draft, model: 'm', error: 'away' }],
		[3, 'tool_usage_started', search],
		[4, 'tool_usage_error', { ...search, error: 'none' }],
		[5, 'task_completed', other],
	);
	expect(
		spans.map(({ kind, name, task, from, to, hasFailed }) => [
			kind,
			name,
			task,
			from,
			to,
			hasFailed,
		]),
	).toEqual([
		['task', 'draft', 'draft', 0, undefined, false],
		['task', 'facts', 'facts', 0, 5_000, false],
		['model', 'm', 'draft', 1_000, 3_000, true],
		['model', 'm', 'facts', 1_000, 2_000, false],
		['tool', 'search', 'draft', 3_000, 4_000, true],
	]);
	expect(lanesOf(spans, new Map()).map(({ title, kind }) => [kind, title])).toEqual([
		['task', 'draft'],
		['agent', 'Writer'],
		['task', 'facts'],
		['agent', 'Scout'],
	]);
});

it('knows a question and the attempts around it, and marks what the events do not say', () => {
	const spans = spansOf(
		[0, 'task_started', draft],
		[1, 'human_feedback_requested', draft],
		[60, 'task_started', draft],
		[61, 'human_feedback_requested', draft],
		[90, 'task_completed', draft],
	);
	expect(spans.map(({ kind, from, to }) => [kind, from, to])).toEqual([
		['task', 0, 1_000],
		['question', 1_000, 60_000],
		['task', 60_000, 61_000],
		['question', 61_000, 90_000],
	]);
	expect(spans[1]?.note).toContain('do not say when the answer came');
	expect(spans[2]?.end?.type).toBe('task_completed');
});

it('marks a missing start or end, and shows unknown events', () => {
	const spans = spansOf(
		[1, 'tool_usage_finished', search],
		[2, 'memory_query_started', draft],
		[3, 'something_new', { a: 1 }],
	);
	expect(spans[0]).toMatchObject({ kind: 'tool', from: 1_000, to: 1_000 });
	expect(spans[0]?.note).toContain('do not say when it started');
	expect(spans[1]?.to).toBeUndefined();
	expect(spans[2]).toMatchObject({ kind: 'other', name: 'something new', to: 3_000 });
});

it('nests the tasks of crews that a method of a flow starts', () => {
	const inner = { task_id: 'method', task_name: 'inner', agent_role: 'Writer' };
	const spans = spansOf(
		[0, 'task_started', { task_id: 'method', task_name: 'method', agent_role: '' }],
		[1, 'agent_execution_started', inner],
		[1, 'llm_call_started', inner],
		[2, 'llm_call_completed', inner],
		[2, 'agent_execution_completed', inner],
	);
	const lanes = lanesOf(spans, new Map());
	expect(lanes.map(({ title, depth }) => [title, depth])).toEqual([
		['method', 0],
		['inner · Writer', 1],
	]);
	// What the agent does is on top of its own bar.
	expect(lanes[1]?.spans.map(({ kind }) => kind)).toEqual(['agent', 'model']);
});

it('has a row for tasks that run at the same time, and in it the retries of guardrails', () => {
	const guarded = { task_id: 'facts', task_name: 'facts', agent_role: 'Scout' };
	const spans = spansOf(
		[0, 'task_started', draft],
		[0, 'task_started', guarded],
		[1, 'agent_execution_started', guarded],
		[2, 'llm_guardrail_started', { ...guarded, retry_count: 0 }],
		[3, 'llm_guardrail_completed', { ...guarded, success: false, error: 'too short' }],
		[4, 'llm_guardrail_started', { ...guarded, retry_count: 1 }],
		[5, 'llm_guardrail_completed', { ...guarded, success: true }],
		[6, 'agent_execution_completed', guarded],
		[7, 'task_completed', draft],
		[8, 'task_completed', guarded],
	);
	const rows = lanesOf(spans, new Map()).map(({ title, spans: own }) => [
		title,
		own.map(({ kind, from, to, hasFailed }) => [kind, from, to, hasFailed]),
	]);
	expect(rows).toEqual([
		['draft', [['task', 0, 7_000, false]]],
		['facts', [['task', 0, 8_000, false]]],
		[
			'Scout',
			[
				['agent', 1_000, 6_000, false],
				['guardrail', 2_000, 3_000, true],
				['guardrail', 4_000, 5_000, false],
			],
		],
	]);
});

it('nests the methods of a flow, and ends a crew that was stopped', () => {
	const flow = spansOf(
		[0, 'flow_started', { flow_name: 'desk' }],
		[1, 'method_execution_started', { flow_name: 'desk', method_name: 'begin' }],
		[2, 'method_execution_finished', { flow_name: 'desk', method_name: 'begin' }],
		[3, 'flow_finished', { flow_name: 'desk' }],
	);
	expect(lanesOf(flow, new Map()).map(({ depth, spans }) => [depth, spans[0]?.name])).toEqual([
		[0, 'desk'],
		[1, 'begin'],
	]);
	const stopped = spansOf(
		[0, 'crew_kickoff_started', { crew_name: 'desk' }],
		[4, 'crew_kickoff_stopped', { crew_name: 'desk' }],
	);
	expect(stopped).toMatchObject([{ kind: 'crew', name: 'desk', from: 0, to: 4_000 }]);
});

it('keeps simultaneous calls apart', () => {
	const spans = spansOf(
		[0, 'tool_usage_started', search],
		[1, 'tool_usage_started', { ...search, tool_name: 'read' }],
		[2, 'tool_usage_finished', search],
		[3, 'tool_usage_finished', { ...search, tool_name: 'read' }],
	);
	expect(lanesOf(spans, new Map()).map((lane) => lane.spans.length)).toEqual([1, 1]);
});

it('gives hours of only waiting for a person a short piece of the timeline', () => {
	const hours = 8 * 3_600;
	const spans = spansOf(
		[0, 'task_started', draft],
		[10, 'human_feedback_requested', draft],
		[10 + hours, 'task_started', draft],
		[20 + hours, 'task_completed', draft],
	);
	const scale = new Scale(spans, 0, (20 + hours) * 1_000);
	expect(scale.shortened()).toMatchObject([{ from: 10_000, to: (10 + hours) * 1_000 }]);
	expect(scale.place(0)).toBe(0);
	expect(scale.place(10_000)).toBeGreaterThan(0.4);
	expect(scale.place((10 + hours) * 1_000) - scale.place(10_000)).toBeLessThan(0.1);
	expect(scale.place((20 + hours) * 1_000)).toBe(1);
	const busy = new Scale(
		spansOf([0, 'task_started', draft], [50, 'task_completed', draft]),
		0,
		50_000,
	);
	expect(busy.shortened()).toEqual([]);
	expect(busy.place(25_000)).toBe(0.5);
});
