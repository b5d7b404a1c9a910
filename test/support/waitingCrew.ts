import nock from 'nock';
import { newBaseUrl } from './crewMock';

/** What arrived at `POST /kickoff` or `POST /resume`. */
export interface StartBody {
	inputs?: { n?: number };
	execution_id?: string;
	crewWebhookUrl?: string;
	taskWebhookUrl?: string;
	stepWebhookUrl?: string;
	humanInputWebhook?: { url: string; authentication?: Record<string, string> };
	webhooks?: { url: string; events: string[]; realtime: boolean };
	meta?: Record<string, unknown>;
}

type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>];

/** A crew whose executions stand as the test says. */
export class WaitingCrew {
	readonly baseUrl = newBaseUrl();
	readonly kickoffs: StartBody[] = [];
	readonly resumes: StartBody[] = [];
	/** IDs of the executions whose status was asked for. */
	readonly asked: string[] = [];
	readonly stopped: string[] = [];
	/** The status endpoint's answer by ID; `running` where there is none. */
	readonly answers = new Map<string, Answer>();

	constructor() {
		const crew = nock(this.baseUrl).persist();
		crew.post('/kickoff').reply((_path, body) => {
			this.kickoffs.push(body as unknown as StartBody);
			const { n } = this.kickoffs.at(-1)!.inputs!;
			return [200, { kickoff_id: idOf(n ?? this.kickoffs.length - 1) }];
		});
		crew.post('/resume').reply((_path, body) => {
			this.resumes.push(body as unknown as StartBody);
			return [200, { status: 'resumed', message: 'Going on' }];
		});
		crew.get(/^\/[^/]+\/status$/).reply((path) => {
			const id = path.split('/')[1]!;
			this.asked.push(id);
			const [status, body, headers] = this.answers.get(id) ?? [200, { status: 'running' }];
			return [status, body as nock.Body, headers];
		});
		crew.post(/^\/stop\//).reply((path) => {
			this.stopped.push(path.split('/')[2]!);
			return [200, { status: 'stopped' }];
		});
	}

	/** Lets the status endpoint say that the executions of these items have completed. */
	complete(...numbers: number[]): void {
		for (const n of numbers) {
			this.answers.set(idOf(n), [200, { status: 'completed', result: { output: `Text ${n}` } }]);
		}
	}

	/** What the crew was told to call, by kind, for the item with this number. */
	urls(n = 0): { crew: string; human_input: string; stream: string } {
		const body = [...this.kickoffs, ...this.resumes].find(({ crewWebhookUrl = '' }) =>
			crewWebhookUrl.endsWith(`&item=${n}`),
		);
		return {
			crew: body?.crewWebhookUrl ?? '',
			human_input: body?.humanInputWebhook?.url ?? '',
			stream: body?.webhooks?.url ?? '',
		};
	}
}

/** The ID that the crew gives to the execution of item `n`. */
export const idOf = (n: number) => `id-${n}`;

/** Items that tell the crew their number. */
export const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

/** Parameters of Kickoff that wait for a callback, without a look before. */
export const WAIT_FOR_CALLBACK = {
	operation: 'kickoff',
	specifyInputs: 'json',
	inputsJson: '={{ JSON.stringify({ n: $json.n ?? 0 }) }}',
	wait: 'callback',
	options: { lookTime: 0, n8nMeta: false },
};
