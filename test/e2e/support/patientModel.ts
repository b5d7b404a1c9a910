import type { Teardown } from '../../../sandbox/src/teardown';
import { startChatEndpoint } from '../../crew-server/support/chatEndpoint';

/** A model that keeps a crew running, see `chatEngine`, until the test lets it answer. */
export interface PatientModel {
	url: string;
	/** Gives this answer to all requests so far, and to all later ones. */
	answer(content: string): void;
}

export async function startPatientModel(teardown: Teardown): Promise<PatientModel> {
	let answer: (content: string) => void = () => undefined;
	const answered = new Promise<string>((resolve) => {
		answer = resolve;
	});
	const endpoint = await startChatEndpoint(async () => ({
		body: { choices: [{ message: { role: 'assistant', content: await answered } }] },
	}));
	teardown.add(() => endpoint.close());
	return {
		url: endpoint.url,
		answer: (content) => {
			answer(content);
		},
	};
}
