import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { Crew } from '../../nodes/Crew/Crew.node';
import { noticeOption, waitFields } from '../../nodes/Crew/operations/waitFields';
import { createWorkflow, runCrew, type CrewNode } from '../support/engine';
import { MINUTE, waitInN8n, type Refusal } from '../support/waitInN8n';
import { POLLED, WAIT, WaitingCrew } from '../support/waitingCrew';

const RESUME = {
	operation: 'resume',
	kickoffId: 'id-0',
	taskId: 'write',
	decision: 'approve',
	humanFeedback: '',
};

const POLLED_AND_HELD = { ...POLLED, options: { ...POLLED.options, hold: true } };

/** Waits for a minute and returns what the crew got, and how often it was asked. */
async function notice(parameters: CrewNode['parameters'], baseUrl: string, n8nUrl: string) {
	const crew = new WaitingCrew(baseUrl);
	const outcome = await waitInN8n(
		{ parameters },
		{ n8nUrl, credential: { baseUrl }, forAtMost: MINUTE },
	);
	const [sent] = [...crew.kickoffs, ...crew.resumes];
	return { ...outcome, isCalledBack: sent?.crewWebhookUrl !== undefined, asked: crew.asked.length };
}

const demanding = (parameters: CrewNode['parameters']) => ({
	...parameters,
	options: { n8nMeta: false, noticeBy: 'callback' },
});

describe('how the end is noticed', () => {
	const OFTEN = 4;

	it.each<[string, string, string, boolean, boolean]>([
		['all is public', 'https://crew-a.example.com', 'https://n8n-a.example.com', true, false],
		['all is on one machine', 'http://localhost:4000', 'http://localhost:5678', true, false],
		['all is in one network', 'http://10.0.0.7', 'http://192.168.1.20:5678', true, false],
		[
			'n8n is on this machine only',
			'https://crew-b.example.com',
			'http://localhost:5679',
			false,
			true,
		],
		['n8n is in its own network', 'https://crew-c.example.com', 'http://192.168.1.21', true, true],
	])('where %s', async (_what, baseUrl, n8nUrl, isCalledBack, isPolled) => {
		const outcome = await notice(WAIT, baseUrl, n8nUrl);
		expect(outcome.shown.run.status).toBe('waiting');
		expect(outcome.isCalledBack).toBe(isCalledBack);
		expect(outcome.asked > OFTEN).toBe(isPolled);
	});

	it('by callback alone if that is demanded of an n8n in its own network', async () => {
		const [baseUrl, n8nUrl] = ['https://crew-d.example.com', 'http://n8n.local'];
		const outcome = await notice(demanding(WAIT), baseUrl, n8nUrl);
		expect(outcome.isCalledBack).toBe(true);
		expect(outcome.asked).toBe(1);
	});

	it.each(['http://localhost:5678', 'http://127.0.0.1:5678', 'http://[::1]:5678'])(
		'not at all where a callback is demanded that cannot arrive, at %s',
		async (n8nUrl) => {
			for (const parameters of [WAIT, RESUME].map(demanding)) {
				const crew = new WaitingCrew();
				const { error } = await runCrew(
					{ parameters },
					{ n8nUrl, credential: { baseUrl: crew.baseUrl } },
				);
				expect(error?.message).toBe(
					`The crew cannot call back: this n8n’s webhook address ${n8nUrl} can only be reached from its own machine`,
				);
				expect(error?.description).toMatch(
					/Set the environment variable N8N_WEBHOOK_URL .* Nothing was/,
				);
				expect([...crew.kickoffs, ...crew.resumes]).toEqual([]);
			}
		},
	);
});

describe('an n8n that cannot call itself', () => {
	const unreachable = { probe: [502] as Refusal, forAtMost: MINUTE };

	it('lets the execution wait for callbacks, with a hint', async () => {
		const crew = new WaitingCrew();
		const { shown } = await waitInN8n(
			{ parameters: WAIT },
			{ ...unreachable, credential: { baseUrl: crew.baseUrl } },
		);
		expect(shown.run.status).toBe('waiting');
		expect(hintsOf(shown.run)).toEqual([expect.stringMatching(/only when the time limit/)]);
	});

	it('keeps the execution running without callbacks, with a hint', async () => {
		const crew = new WaitingCrew();
		crew.completeAfter(0, 3);
		const { shown } = await waitInN8n(
			{ parameters: POLLED },
			{ ...unreachable, credential: { baseUrl: crew.baseUrl } },
		);
		expect(shown.json).toMatchObject([{ status: 'completed' }]);
		expect(hintsOf(shown.run)).toEqual([expect.stringMatching(/was kept running/)]);
	});

	it('is not one that fails for an execution that it has not stored yet', async () => {
		const message = "Cannot read properties of undefined (reading 'resumeToken')";
		const crew = new WaitingCrew();
		const { shown } = await waitInN8n(
			{ parameters: WAIT },
			{
				probe: [500, { code: 0, message }],
				forAtMost: MINUTE,
				credential: { baseUrl: crew.baseUrl },
			},
		);
		expect(shown.run.status).toBe('waiting');
		expect(hintsOf(shown.run)).toEqual([]);
	});

	it('is asked once for some minutes', async () => {
		const n8nUrl = 'https://asked-once.example.com';
		const probes: number[] = [];
		for (const n of [0, 1]) {
			const crew = new WaitingCrew();
			crew.complete(n);
			const { probed } = await waitInN8n(
				{ parameters: WAIT },
				{ n8nUrl, items: [{ n }], credential: { baseUrl: crew.baseUrl } },
			);
			probes.push(probed);
		}
		expect(probes).toEqual([1, 0]);
	});
});

describe('before a run, the panel says what a restart of n8n costs', () => {
	const [restart] = new Crew().description.hints!;
	const GET_STATUS = { operation: 'getStatus', kickoffId: 'id-0' };

	it.each<[string, CrewNode['parameters'], boolean]>([
		['polling is chosen', POLLED, true],
		['polling is chosen, and the execution is kept running', POLLED_AND_HELD, false],
		['the crew calls back', WAIT, false],
		['nothing is waited for', { ...POLLED, wait: 'no' }, false],
		['Get Status waits', { ...GET_STATUS, wait: 'end' }, true],
		['Get Status does not wait', GET_STATUS, false],
	])('where %s', (_what, parameters, isSaid) => {
		const workflow = createWorkflow({ parameters });
		const node = workflow.getNode('Crew')!;
		// As n8n's editor decides it.
		const { displayCondition = '' } = restart!;
		const says = workflow.expression.getSimpleParameterValue(
			node,
			displayCondition,
			'internal',
			{},
		);
		expect(says).toBe(isSaid);
		expect(restart).toMatchObject({ whenToDisplay: 'beforeExecution' });
		expect(restart?.message).toContain(
			'N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) set to an address of this n8n',
		);
	});
});

test('the panel says at the wait, and where polling may be fallen back to, what a restart costs', () => {
	const [wait] = waitFields;
	const [automatically] = noticeOption.options as INodePropertyOptions[];
	expect(wait?.description).toMatch(/restart of n8n ends the checks.*Detect Completion/);
	expect(automatically?.description).toMatch(/end if n8n restarts.*N8N_WEBHOOK_URL/);
});

describe('a trigger that responds when its last node finishes', () => {
	const webhook = (parameters: INodeParameters) => ({ type: 'n8n-nodes-base.webhook', parameters });
	const chat = (parameters: INodeParameters) => ({
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		parameters,
	});

	it.each<[string, { type: string; parameters: INodeParameters }, boolean]>([
		['a Webhook', webhook({ responseMode: 'lastNode' }), true],
		['a Webhook with Respond to Webhook', webhook({ responseMode: 'responseNode' }), false],
		['a Webhook that responds at once', webhook({}), false],
		['a Chat Trigger', chat({ options: {} }), true],
		[
			'a Chat Trigger with response nodes',
			chat({ options: { responseMode: 'responseNodes' } }),
			false,
		],
		['a Chat Trigger that streams', chat({ availableInChat: true }), false],
	])('gets a hint: %s', async (_what, trigger, isHinted) => {
		const crew = new WaitingCrew();
		const { shown } = await waitInN8n(
			{ parameters: WAIT },
			{ trigger, credential: { baseUrl: crew.baseUrl }, forAtMost: 1_000 },
		);
		expect(shown.run.status).toBe('waiting');
		expect(hintsOf(shown.run).length > 0).toBe(isHinted);
	});
});

function hintsOf({
	data,
}: {
	data: { resultData: { runData: Record<string, unknown[]> } };
}): string[] {
	const [task] = data.resultData.runData.Crew as Array<{ hints?: Array<{ message: string }> }>;
	return (task?.hints ?? []).map(({ message }) => message);
}
