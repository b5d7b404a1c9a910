import { tasksOf, type ScriptedExecution } from '../support/scriptedCrew';
import type { PlannedItem } from './plan';

/** An item from a Crew node, in the form in which its workflow sends it out of n8n. */
export interface Report {
	execution: string;
	item: Record<string, unknown>;
}

/** Everything that differs from what the crews did, in words. */
export function problemsOf(
	items: readonly PlannedItem[],
	started: readonly ScriptedExecution[],
	reports: readonly Report[],
): string[] {
	const topicOf = new Map(started.map(({ kickoffId, topic }) => [kickoffId, topic]));
	const byTopic = new Map<string, Report[]>();
	const problems: string[] = [];
	for (const report of reports) {
		const topic = topicOf.get(String(report.item.kickoff_id));
		if (topic === undefined) {
			problems.push(`Execution ${report.execution} gave ${shortened(report.item)}`);
		} else {
			byTopic.set(topic, [...(byTopic.get(topic) ?? []), report]);
		}
	}
	for (const item of items) {
		const crews = started.filter(({ topic }) => topic === item.topic).length;
		const own = byTopic.get(item.topic) ?? [];
		if (crews !== 1) problems.push(`${item.topic}: ${crews} crews were started`);
		if (own.length !== 1) problems.push(`${item.topic}: came out ${own.length} times`);
		for (const { execution, item: actual } of own) {
			const wrong = differences(item, actual);
			if (wrong.length === 0) continue;
			problems.push(
				`${item.topic} (execution ${execution}): ${wrong.join(', ')}; it gave ${shortened(actual)}`,
			);
		}
	}
	return problems;
}

/** The fields that differ from the crew's result. */
function differences({ outcome }: PlannedItem, actual: Report['item']): string[] {
	const expected: Record<string, unknown> =
		'error' in outcome
			? { status: 'failed', error: outcome.error }
			: { status: 'completed', output: outcome.output, tasks: tasksOf(outcome.output) };
	return Object.keys(expected)
		.filter((name) => JSON.stringify(actual[name]) !== JSON.stringify(expected[name]))
		.map((name) => (actual[name] === undefined ? `no ${name}` : `another ${name}`));
}

const SHOWN = 60;

function shortened(item: Report['item']): string {
	return JSON.stringify(item, (_name, value: unknown) =>
		typeof value === 'string' && value.length > SHOWN
			? `${value.slice(0, SHOWN)}… (${value.length} characters)`
			: value,
	);
}
