/** A message of OpenAI's chat API. */
export interface ChatMessage {
	role: string;
	content?: unknown;
	tool_calls?: Array<{ id: string; type: string; function: { name: string; arguments: unknown } }>;
	tool_call_id?: string;
}

interface Conversation {
	model?: unknown;
	messages?: ChatMessage[];
	tools?: Array<{ type: string; function?: { name?: string } }>;
	stream?: boolean;
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

/** Why OpenAI refuses a chat request; `undefined` if it does not. */
export function problemOf({
	model,
	messages,
	tools = [],
	stream,
}: Conversation): string | undefined {
	if (typeof model !== 'string' || model === '') return 'you must provide a model parameter';
	if (!Array.isArray(messages) || messages.length === 0)
		return "Missing required parameter: 'messages'.";
	if (stream) return 'This scripted model does not stream.';
	const unnamed = tools.find(({ type, function: one }) => type !== 'function' || !one?.name);
	if (unnamed) return "Missing required parameter: 'tools[0].function.name'.";
	return (
		messages.map(formProblem).find((problem) => problem !== undefined) ?? orderProblem(messages)
	);
}

function formProblem(
	{ role, content, tool_calls }: ChatMessage,
	index: number,
): string | undefined {
	if (!ROLES.includes(role))
		return `Invalid value: '${role}'. Supported values are: ${ROLES.join(', ')}.`;
	const isText = typeof content === 'string' || Array.isArray(content);
	if (!isText && !(role === 'assistant' && tool_calls?.length)) {
		return `Invalid value for 'content': expected a string, got null (messages.[${index}]).`;
	}
	const broken = tool_calls?.find(
		(call) => typeof call.function.arguments !== 'string' || !call.id,
	);
	return broken ? `Invalid type for 'messages[${index}].tool_calls'.` : undefined;
}

/** Checks that each call of a tool is answered exactly once, right after it. */
function orderProblem(messages: ChatMessage[]): string | undefined {
	let open: string[] = [];
	for (const { role, tool_calls, tool_call_id } of messages) {
		if (role === 'tool') {
			if (!open.includes(tool_call_id ?? '')) {
				return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
			}
			open = open.filter((id) => id !== tool_call_id);
			continue;
		}
		if (open.length > 0) break;
		open = tool_calls?.map(({ id }) => id) ?? [];
	}
	return open.length === 0
		? undefined
		: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${open.join(', ')}.`;
}
