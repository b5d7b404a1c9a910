import {
	startChatEndpoint,
	type ChatEndpoint,
	type ChatRequest,
} from '../crew-server/support/chatEndpoint';

/**
 * A chat model that follows a script: it calls the first tool once.
 *
 * @param toolArguments the arguments of the model's call
 */
export async function startToolCallingModel(toolArguments: object): Promise<ChatEndpoint> {
	return await startChatEndpoint((asked) => ({
		body: completion(answerTo(asked, toolArguments)),
	}));
}

/** Calls the tool first, and then repeats the tool's result. */
function answerTo({ messages, tools }: ChatRequest, toolArguments: object): object {
	const toolResult = messages.find(({ role }) => role === 'tool');
	if (toolResult) return { role: 'assistant', content: `The crew says: ${toolResult.content}` };
	const call = {
		id: 'call_1',
		type: 'function',
		function: { name: tools?.[0]?.function.name, arguments: JSON.stringify(toolArguments) },
	};
	return { role: 'assistant', content: null, tool_calls: [call] };
}

function completion(message: object): object {
	const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
	return {
		id: 'chatcmpl-1',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
