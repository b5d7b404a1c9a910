import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';

import { until } from '../crew-server/support/until';
import { startCollector, type Collector, type Span } from './support/collector';
import { copyProject, deploy, PATIENCE, python, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let collector: Collector;
let deployment: Deployment | undefined;

beforeAll(async () => {
	model = await startScriptedModel(() => 'Well');
});
afterAll(() => model.close());
beforeEach(async () => {
	collector = await startCollector();
});
afterEach(async () => {
	await deployment?.close();
	deployment = undefined;
	await collector.close();
});

const envOf = (tracer: string) => ({
	...model.env,
	TRACER: tracer,
	TRACING_PACKAGES: process.env['TRACING_PACKAGES'] ?? '',
	COLLECTOR: collector.url,
	LANGFUSE_HOST: collector.url,
	LANGFUSE_BASE_URL: collector.url,
	LANGFUSE_PUBLIC_KEY: 'pk-lf-of-nobody',
	LANGFUSE_SECRET_KEY: 'sk-lf-of-nobody',
});

/** Each crew has an identifier of its own. */
const namesOf = (spans: Span[]) =>
	spans.map(({ name }) => name.replace(/[\da-f]{8}-[\da-f-]{27}/, '…')).sort();

/** The spans of the project if it runs without a server. */
async function spansOfBareRun(tracer: string): Promise<Span[]> {
	const copy = copyProject('traced', {});
	const env = {
		...envOf(tracer),
		CREWAI_DISABLE_TELEMETRY: 'true',
		CREWAI_TESTING: 'true',
		CREWAI_STORAGE_DIR: copy.folder,
	};
	await execa(python, ['crew.py'], { cwd: copy.folder, env });
	copy.remove();
	return collector.spans.splice(0);
}

it.each(['batch', 'simple', 'langfuse'])(
	'sends the spans of a bare run, in one trace below that of the caller: %s',
	async (tracer) => {
		const bare = await spansOfBareRun(tracer);
		expect(bare.length).toBeGreaterThan(2);
		deployment = await deploy('traced', model, {}, envOf(tracer));
		const isForked = tracer !== 'langfuse';
		expect(deployment.crew.crew.warnings).toHaveLength(isForked ? 0 : 1);
		const traces = ['a', 'b'].map((digit) => digit.repeat(32));
		for (const trace of traces) {
			const { body } = await deployment.client.post(
				'/kickoff',
				{ inputs: { topic: 'tea' } },
				{ traceparent: `00-${trace}-${'c'.repeat(16)}-01` },
			);
			const ended = await deployment.ended(String(body['kickoff_id']));
			expect(ended).toMatchObject({ status: 'completed' });
		}
		await until(() => collector.spans.length >= 2 * bare.length, PATIENCE);
		for (const trace of traces) {
			const spans = collector.spans.filter((span) => span.trace === trace);
			expect(namesOf(spans)).toEqual(namesOf(bare));
			expect(spans.filter(({ parent }) => parent === 'c'.repeat(16))).toHaveLength(
				bare.filter(({ parent }) => parent === undefined).length,
			);
		}
		// A non-daemon thread can finish, even in the last process.
		const late = () => readFileSync(join(deployment?.folder ?? '', 'late.txt'), 'utf8');
		await until(() => late().split('\n').length === 5, PATIENCE);
	},
);

it('sends finished spans at a question, and continues in the same trace', async () => {
	deployment = await deploy('traced', model, {}, { ...envOf('batch'), ASKS: 'yes' });
	const { client } = deployment;
	const trace = 'd'.repeat(32);
	const { body } = await client.post(
		'/kickoff',
		{ inputs: { topic: 'tea' } },
		{ traceparent: `00-${trace}-${'e'.repeat(16)}-01` },
	);
	const kickoffId = String(body['kickoff_id']);
	await until(async () => {
		const status = (await client.get(`/${kickoffId}/status`)).body;
		return status['status'] === 'pending_human_input';
	}, PATIENCE);
	await client.post('/resume', {
		execution_id: kickoffId,
		task_id: 'outline',
		human_feedback: '',
		is_approve: true,
	});
	expect(await deployment.ended(kickoffId)).toMatchObject({ status: 'completed' });
	await until(() => namesOf(collector.spans).some((name) => /Crew|kickoff/.test(name)), PATIENCE);
	expect(new Set(collector.spans.map((span) => span.trace))).toEqual(new Set([trace]));
});

it('sends the spans of what failed', async () => {
	deployment = await deploy('traced', model, {}, { ...envOf('batch'), FAILS: 'yes' });
	expect(await deployment.run({ topic: 'tea' })).toMatchObject({ status: 'error' });
	await until(() => collector.spans.length > 1, PATIENCE);
});
