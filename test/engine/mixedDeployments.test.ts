import type { INodeExecutionData } from 'n8n-workflow';
import nock from 'nock';
import { startCrewServer, type CrewServer } from '../../crew-server/src';
import type { Aspects } from '../../crew-server/src/api/aspects';
import { runCrew, type CrewNode } from '../support/engine';

/** Like the platform, but with mixed shapes of different deployments. */
const MIXES = (['status', 'state', 'both', 'platform'] as const).flatMap((statusBody) =>
	(['documented', 'framework', 'platform'] as const).map((errorBody) => ({
		...{ statusBody, errorBody },
		...({ statusPath: 'both', pauseWord: 'PAUSED' } as const),
	})),
);

let crew: CrewServer;

async function deploy(aspects: Partial<Aspects>): Promise<void> {
	nock.enableNetConnect('127.0.0.1');
	crew = await startCrewServer({ crew: 'reviewed-article', dialect: 'platform', aspects });
}
afterEach(() => crew.close());

async function run(
	parameters: CrewNode['parameters'],
	items: Array<INodeExecutionData['json']> = [{}],
) {
	const options = { hold: true, pollInterval: 0.05 };
	const credential = { baseUrl: crew.url, accessToken: crew.accessToken };
	const node = { parameters: { ...parameters, wait: 'end', options } };
	const { json, error } = await runCrew(node, { items, credential });
	expect(error).toBeUndefined();
	return json;
}

const answer = (decision: string) => ({
	operation: 'resume',
	kickoffId: '={{ $json.kickoff_id }}',
	taskId: '={{ $json.task_id }}',
	decision,
	humanFeedback: `I ${decision} it`,
	callbacks: 'none',
});

test.each(MIXES)(
	'asks, and accepts a rejection and an approval once each: $statusBody, $errorBody',
	async (aspects) => {
		await deploy(aspects);
		const inputsJson = '{"topic": "bees"}';
		const asked = await run({ operation: 'kickoff', specifyInputs: 'json', inputsJson });
		expect(asked).toMatchObject([{ status: 'pending_human_input' }]);
		const again = await run(answer('reject'), asked);
		expect(again).toMatchObject([{ status: 'pending_human_input' }]);
		expect(again[0]?.resumed_from).toBe(asked[0]?.kickoff_id);
		expect(again[0]?.task_output).toContain('I reject it');
		const done = await run(answer('approve'), again);
		expect(done).toMatchObject([{ status: 'completed' }]);
		expect(done[0]?.output).toContain('I approve it');
		const resumes = crew.requests().filter(({ path }) => path.endsWith('/resume'));
		expect(resumes.map(({ status }) => status)).toEqual([422, 200, 200]);
	},
);
