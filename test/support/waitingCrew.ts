import { sleep } from 'n8n-workflow';
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
	humanInputWebhookUrl?: string;
	webhooks?: { url: string; events: string[]; realtime: boolean };
	meta?: Record<string, unknown>;
}

type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>];

/** A crew whose executions have the states that the test sets. */
export class WaitingCrew {
	readonly kickoffs: StartBody[] = [];
	readonly resumes: StartBody[] = [];
	/** IDs of the executions whose status was requested. */
	readonly asked: string[] = [];
	/** When that was, in milliseconds since the epoch. */
	readonly askedAt: number[] = [];
	/** The most status requests at the same time. */
	mostAtOnce = 0;
	readonly stopped: string[] = [];
	/** The status endpoint's answer by ID; `running` if there is none. */
	readonly answers = new Map<string, Answer>();
	/** How often the inputs of an item are refused, by its number. */
	readonly refusals = new Map<number, number>();
	/** The pause that a 429 asks for once at the kickoff of an item, in milliseconds, by its number. */
	readonly throttled = new Map<number, number>();
	/** The authorization of each request. */
	readonly tokens: string[] = [];
	/** How many requests the status endpoint accepts in a minute; it refuses others with `Retry-After`. */
	perMinute = Infinity;
	/** Until when the status endpoint answers 502, in milliseconds since the epoch. */
	brokenUntil = 0;
	/** An answer instead of the status endpoint's; `undefined` if that answers itself. */
	inItsPlace: () => Answer | undefined = () => undefined;
	/** The only token that the status endpoint accepts. */
	acceptedToken?: string;
	/** Milliseconds until a kickoff is answered. */
	kickoffDelay = 0;
	/** Milliseconds until the status endpoint answers. */
	statusDelay = 0;

	private atOnce = 0;
	private readonly takenAt: number[] = [];
	private readonly told = new Map<string, () => Answer>();
	private readonly countdown = new Map<string, number>();

	constructor(readonly baseUrl = newBaseUrl()) {
		const crew = nock(this.baseUrl).persist();
		crew.on('request', ({ headers }: { headers: Record<string, string> }) => {
			this.tokens.push(headers.authorization ?? '');
		});
		crew.post('/kickoff').reply(async (_path, body) => {
			const kickoff = body as unknown as StartBody;
			this.kickoffs.push(kickoff);
			if (this.kickoffDelay > 0) await sleep(this.kickoffDelay);
			const { n = 0 } = kickoff.inputs!;
			const throttled = this.throttled.get(n);
			this.throttled.delete(n);
			if (throttled) return [429, {}, { 'retry-after': String(throttled / 1000) }];
			const refusals = this.refusals.get(n) ?? 0;
			this.refusals.set(n, refusals - 1);
			return refusals > 0 ? [422, { message: 'No' }] : [200, { kickoff_id: idOf(n) }];
		});
		crew.post('/resume').reply((_path, body) => {
			this.resumes.push(body as unknown as StartBody);
			return [200, { status: 'resumed', message: 'Going on' }];
		});
		crew.get(/^\/[^/]+\/status$/).reply(async (path) => {
			const id = path.split('/')[1]!;
			this.asked.push(id);
			this.askedAt.push(Date.now());
			this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
			if (this.statusDelay > 0) await sleep(this.statusDelay);
			this.atOnce--;
			const token = this.acceptedToken;
			if (token && this.tokens.at(-1) !== `Bearer ${token}`) return [401, { detail: 'No' }];
			if (Date.now() < this.brokenUntil) return [502, '<html></html>'];
			const inItsPlace = this.inItsPlace();
			if (inItsPlace) return [inItsPlace[0], inItsPlace[1] as nock.Body, inItsPlace[2]];
			const lastMinute = this.takenAt.filter((time) => time > Date.now() - 60_000);
			if (lastMinute.length >= this.perMinute) {
				const left = lastMinute[0]! + 60_000 - Date.now();
				return [429, {}, { 'retry-after': String(Math.ceil(left / 1_000)) }];
			}
			this.takenAt.push(Date.now());
			this.tick(id);
			const told = this.told.get(id)?.();
			if (told) return [told[0], told[1] as nock.Body];
			const [status, body, headers] = this.answers.get(id) ?? [200, { status: 'running' }];
			return [status, body as nock.Body, headers];
		});
		crew.get(/^\/status\//).reply(404, { detail: 'Not found' });
		crew.post(/^\/stop\//).reply((path) => {
			this.stopped.push(path.split('/')[2]!);
			return [200, { status: 'stopped' }];
		});
	}

	/** Lets the status endpoint say that the executions of these items have completed. */
	complete(...numbers: number[]): void {
		for (const n of numbers) {
			this.told.delete(idOf(n));
			this.answers.set(idOf(n), [200, { status: 'completed', result: { output: `Text ${n}` } }]);
		}
	}

	/** Lets the status endpoint repeat an answer some times, and then say that the execution has completed. */
	completeAfter(n: number, times: number, answer: Answer = [200, { status: 'running' }]): void {
		this.answers.set(idOf(n), answer);
		this.countdown.set(idOf(n), times);
	}

	/** Lets the status endpoint make a new answer for each request, until the execution completes. */
	answerWith(id: string, answer: () => Answer): void {
		this.told.set(id, answer);
	}

	private tick(id: string): void {
		const left = this.countdown.get(id);
		if (left === undefined) return;
		if (left === 0) this.complete(Number(id.slice(3)));
		this.countdown.set(id, left - 1);
	}

	/** The callback URLs that the crew got for the item with this number, by kind. */
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

/** The ID of the execution of item `n`. */
export const idOf = (n: number) => `id-${n}`;

/** Items with their number as the crew's input. */
export const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

/** Parameters of Kickoff that wait. */
export const WAIT = {
	operation: 'kickoff',
	specifyInputs: 'json',
	inputsJson: '={{ JSON.stringify({ n: $json.n ?? 0 }) }}',
	wait: 'end',
	options: { n8nMeta: false },
};

/** The same, with the execution kept running. */
export const HOLD = { ...WAIT, options: { ...WAIT.options, hold: true } };

/** The same, with status checks only. */
export const POLLED = { ...WAIT, options: { ...WAIT.options, noticeBy: 'polling' } };
