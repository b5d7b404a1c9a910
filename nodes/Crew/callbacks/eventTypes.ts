/** Known types of the event stream; a crew may send others. */
export const EVENT_TYPES = [
	'agent_execution_completed agent_execution_error agent_execution_started',
	'crew_kickoff_completed crew_kickoff_failed crew_kickoff_started',
	'flow_finished flow_started',
	'llm_call_completed llm_call_failed llm_call_started',
	'method_execution_failed method_execution_finished method_execution_started',
	'task_completed task_failed task_started',
	'tool_usage_error tool_usage_finished tool_usage_started',
].flatMap((types) => types.split(' '));

/** The types as options of a field, with the API's own words, which people look for. */
export const eventTypeOptions = EVENT_TYPES.map((type) => ({ name: type, value: type }));

/** The kinds of callback, as options of a field. */
export const kindOptions = [
	{ name: 'Crew Completed', value: 'crew', description: 'The crew has completed' },
	{
		name: 'Event Stream',
		value: 'stream',
		description: 'Events of the stream, such as crew_kickoff_failed',
	},
	{
		name: 'Human Input Requested',
		value: 'human_input',
		description: 'A task waits for a person’s decision',
	},
	{ name: 'Step', value: 'step', description: 'An agent has taken a step' },
	{ name: 'Task Completed', value: 'task', description: 'A task has completed' },
];
