/** Types of the event stream that are known; a crew may send others. */
export const EVENT_TYPES = [
	'agent_execution_completed',
	'agent_execution_error',
	'agent_execution_started',
	'crew_kickoff_completed',
	'crew_kickoff_failed',
	'crew_kickoff_started',
	'flow_finished',
	'flow_started',
	'llm_call_completed',
	'llm_call_failed',
	'llm_call_started',
	'method_execution_failed',
	'method_execution_finished',
	'method_execution_started',
	'task_completed',
	'task_failed',
	'task_started',
	'tool_usage_error',
	'tool_usage_finished',
	'tool_usage_started',
];

/** The types as options of a field: the API's own words are what people look for. */
export const eventTypeOptions = EVENT_TYPES.map((type) => ({ name: type, value: type }));
