import type { CrewDefinition } from '../../../crew-server/src';
import { startChatEndpoint, type ChatAnswer } from '../../crew-server/support/chatEndpoint';

/** A crew that works on its input `topic` as long as its model thinks. */
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

/** A model that holds back its answers until a test releases them. */
export interface HeldModel {
	url: string;
	/** Topics that it thinks about. */
	held(): string[];
	/** Answers, now or when it is called, so that the crew's execution about this topic ends. */
	release(topic: string): void;
	close(): Promise<void>;
}

export async function startHeldModel(): Promise<HeldModel> {
	const held = new Map<string, (answer: ChatAnswer) => void>();
	const released = new Set<string>();
	const answerAbout = (topic: string): ChatAnswer => ({
		body: { choices: [{ message: { content: `All about ${topic}` } }] },
	});
	const endpoint = await startChatEndpoint(({ messages }) => {
		const text = messages.map(({ content }) => content).join('\n');
		const [, topic = ''] = /Current task: (.*)/.exec(text) ?? [];
		if (released.has(topic)) return answerAbout(topic);
		return new Promise((resolve) => held.set(topic, resolve));
	});
	return {
		url: endpoint.url,
		held: () => [...held.keys()],
		release: (topic) => {
			released.add(topic);
			held.get(topic)?.(answerAbout(topic));
			held.delete(topic);
		},
		close: () => endpoint.close(),
	};
}
