import type { CrewDefinition } from '../../../crew-server/src';

/** A crew with tasks of these durations in milliseconds: `task_0`, `task_1` and so on. */
export function crewOf(durations: readonly number[], output = 'Done'): CrewDefinition {
	return {
		name: 'timed',
		inputs: [],
		tasks: durations.map((duration, index) => ({
			name: `task_${index}`,
			description: 'Work',
			expectedOutput: 'A text',
			agent: 'Worker',
			output,
			duration,
		})),
	};
}
