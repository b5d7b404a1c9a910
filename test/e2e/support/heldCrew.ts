import type { CrewDefinition } from '../../../local-crew/src';
import { startChatEndpoint, type ChatAnswer } from '../../local-crew/support/chatEndpoint';

/** A crew that works on its input `topic` for as long as its model thinks. */
export const heldCrew: CrewDefinition = {
	name: 'held',
	inputs: [{ name: 'topic', type: 'string', required: true }],
	tasks: [
		{
			name: 'think',
			description: '{topic}',
			expectedOutput: 'A sentence',
			agent: 'Thinker',
			output: '',
		},
	],
};

/** A model that keeps its answers to itself until a test asks for them. */
export interface HeldModel {
	url: string;
	/** Topics that it thinks about. */
	held(): string[];
	/** Answers, so that the crew's execution about this topic ends. */
	release(topic: string): void;
	close(): Promise<void>;
}

export async function startHeldModel(): Promise<HeldModel> {
	const held = new Map<string, (answer: ChatAnswer) => void>();
	const endpoint = await startChatEndpoint(
		({ messages }) =>
			new Promise((resolve) => {
				const text = messages.map(({ content }) => content).join('\n');
				held.set(/Current task: (.*)/.exec(text)?.[1] ?? '', resolve);
			}),
	);
	return {
		url: endpoint.url,
		held: () => [...held.keys()],
		release: (topic) => {
			const content = `All about ${topic}`;
			held.get(topic)?.({ body: { choices: [{ message: { content } }] } });
			held.delete(topic);
		},
		close: () => endpoint.close(),
	};
}
