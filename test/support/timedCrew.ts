import type { CrewDefinition } from '../../crew-server/src';

/** A crew that takes as long as its input `duration` says, in milliseconds, and fails if its input `failure` is set. */
export const timedCrew: CrewDefinition = {
	name: 'timed',
	inputs: [
		{ name: 'topic', type: 'string', required: true },
		{ name: 'duration', type: 'number', required: true },
		{ name: 'failure', type: 'string', required: false },
	],
	tasks: [
		{
			name: 'take_time',
			description: 'Take your time with {topic}',
			expectedOutput: 'A sentence about {topic}',
			agent: 'Sloth',
			duration: '{duration}',
			failure: '{failure}',
			output: 'All about {topic}',
		},
	],
};
