import { createHash } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import execa from 'execa';

import { startCrewServer, type CrewServer } from '../../../crew-server/src';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { Client } from '../../crew-server/support/client';
import { until } from '../../crew-server/support/until';
import { fitting, type JsonSchema } from '../support/fitting';
import type { PlainModel } from './model';
import { ADVISED, type PreparedProject } from './prepare';

/** The result of a run. */
interface Run {
	output: string;
	tokens: number;
	/** How often the model was asked. */
	answered: number;
	events: Record<string, number>;
	/** Digests of the files that are new or have changed, by their paths. */
	files: Record<string, string>;
	/** Empty if it was completed. */
	error: string;
}

/** What was measured with a project. */
export interface Measured {
	name: string;
	commit: string;
	note: string;
	/** Why it does not start; empty if it does. */
	refusal: string;
	/** What was found: its kind, name and inputs. */
	found: string;
	/** How the run on the server differs from the bare run; empty if they are the same. */
	differences: string[];
	/** The error with which both ended, if they did. */
	error: string;
}

/** Milliseconds that a run may take. */
const PATIENCE = 300_000;

/** Runs a project on the crew server and bare, and compares both. */
export async function measure(one: PreparedProject, model: PlainModel): Promise<Measured> {
	const { name, note, refusal } = one;
	const told = { name, note, commit: one.project.commit, found: '', error: '', differences: [] };
	if (refusal !== '') return { ...told, refusal: `Cannot be installed: ${refusal}` };
	const work = mkdtempSync(join(tmpdir(), 'real-project-'));
	const kept = { ...process.env };
	Object.assign(process.env, unsetOf(one.source), model.env);
	try {
		const served = join(work, 'served');
		cpSync(one.source, served, { recursive: true });
		const server = await startCrewServer({ crew: served, project: { python: one.python } });
		try {
			const { body } = await new Client(server).get('/inputs');
			const inputs = valuesFor(body['inputs'] as Input[]);
			const onServer = await runOnServer(one, served, server, inputs, model);
			const found = `${server.crew.kind ?? ''} ${server.crew.name} (${Object.keys(inputs).join(', ')})`;
			const started = { ...told, refusal: '', found };
			const bare = await runBare(one, join(work, 'bare'), inputs, model);
			if (typeof bare === 'string') return { ...started, differences: [bare] };
			const error = onServer.error !== '' && bare.error !== '' ? bare.error : '';
			return { ...started, error, differences: differences(onServer, bare) };
		} finally {
			await server.close();
		}
	} catch (error) {
		const { message } = error as Error;
		const [, advised] = /`uv (?:add|pip install --python \S+) ([\w.]+)`/.exec(message) ?? [];
		if (advised !== undefined) writeFileSync(join(one.source, '..', ADVISED), advised);
		return { ...told, refusal: message.replaceAll(work, '…') };
	} finally {
		process.env = kept;
		rmSync(work, { recursive: true, force: true });
	}
}

interface Input extends JsonSchema {
	name: string;
	required: boolean;
}

function valuesFor(inputs: Input[]): Record<string, unknown> {
	const needed = inputs.filter(({ required }) => required);
	return Object.fromEntries(
		needed.map((one) => [one.name, one.type === undefined ? 'tea' : fitting(one)]),
	);
}

async function runOnServer(
	one: PreparedProject,
	folder: string,
	server: CrewServer,
	inputs: Record<string, unknown>,
	model: PlainModel,
): Promise<Run> {
	const client = new Client(server);
	const begun = model.answered;
	const id = await client.kickoff({ inputs });
	const ended = await until(async () => {
		const { body } = await client.get(`/${id}/status`);
		if (body['status'] === 'pending_human_input') {
			const feedback = replyTo(String(body['task_output']));
			await client.resume(id, { task_id: body['task_id'], human_feedback: feedback });
		}
		return ['completed', 'error'].includes(String(body['status'])) && body;
	}, PATIENCE);
	const stream = String((await client.get(`/${id}/events`)).body['text']);
	const events: Record<string, number> = {};
	for (const [, type = ''] of stream.matchAll(/^event: (\w+)$/gm)) {
		events[type] = (events[type] ?? 0) + 1;
	}
	const execution = (await server.executions()).at(-1);
	return {
		output: execution?.result?.output ?? '',
		tokens: execution?.tokenUsage.total_tokens ?? 0,
		answered: model.answered - begun,
		events,
		files: changedFiles(one.source, folder),
		error: typeof ended['error'] === 'string' ? ended['error'] : '',
	};
}

/** Answers a question of the project's own with the first answer that it names, and approves an output. */
function replyTo(text: string): string {
	const [, option] = /\((\w+)\//.exec(text) ?? [];
	return option ?? (/[?:]$/.test(text) ? 'tea' : '');
}

async function runBare(
	one: PreparedProject,
	folder: string,
	inputs: Record<string, unknown>,
	model: PlainModel,
): Promise<Run | string> {
	cpSync(one.source, folder, { recursive: true });
	const begun = model.answered;
	const report = `${folder}.json`;
	const script = join(__dirname, 'bare.py');
	const given = [folder, JSON.stringify(inputs), `${folder}-storage`, report];
	const { all } = await execa(one.python, [script, ...given], {
		env: {
			PYTHONPATH: join(repositoryFolder, 'crew-server', 'python'),
			PYTHONDONTWRITEBYTECODE: '1',
		},
		reject: false,
		all: true,
		timeout: PATIENCE,
	});
	if (!existsSync(report)) return `The bare run comes to no end: ${(all ?? '').slice(-500)}`;
	const told = JSON.parse(await readFile(report, 'utf8')) as Partial<Run>;
	const files = changedFiles(one.source, folder);
	return {
		output: '',
		tokens: 0,
		events: {},
		error: '',
		...told,
		files,
		answered: model.answered - begun,
	};
}

function differences(server: Run, bare: Run): string[] {
	const found: string[] = [];
	const compare = (what: string, left: unknown, right: unknown) => {
		const [one, other] = [left, right].map((value) => JSON.stringify(value));
		if (one !== other) found.push(`${what}: ${cut(one)} on the server, ${cut(other)} bare`);
	};
	// In a bare run, its type comes first.
	if (server.error === '' || !bare.error.endsWith(server.error)) {
		compare('error', server.error, bare.error);
	}
	compare('output', server.output, bare.output);
	compare('model calls', server.answered, bare.answered);
	if (bare.tokens) compare('tokens', server.tokens, bare.tokens);
	for (const type of new Set([...Object.keys(server.events), ...Object.keys(bare.events)])) {
		// The platform's names for a flow's own events: its methods are its tasks.
		if (/^(crew_kickoff|task)_/.test(type) && bare.events['flow_started']) continue;
		compare(type, server.events[type] ?? 0, bare.events[type] ?? 0);
	}
	for (const file of new Set([...Object.keys(server.files), ...Object.keys(bare.files)])) {
		compare(file, server.files[file], bare.files[file]);
	}
	return found;
}

const cut = (text = 'nothing') => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Files that Python or a library writes for itself are not the project's. */
const PASSED_OVER = /(^|\/)(__pycache__|\.git|\.venv)(\/|$)|\.pyc$/;

function changedFiles(before: string, after: string): Record<string, string> {
	const old = digests(before);
	return Object.fromEntries(
		Object.entries(digests(after)).filter(([path, one]) => old[path] !== one),
	);
}

function digests(folder: string): Record<string, string> {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((one) => one.isFile())
		.map((one) => join(one.parentPath, one.name))
		.filter((path) => !PASSED_OVER.test(relative(folder, path)));
	const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
	return Object.fromEntries(
		files.map((path) => [relative(folder, path), digest(path).slice(0, 12)]),
	);
}

/** A value for each variable that the project reads, or lists in a sample file. */
function unsetOf(folder: string): Record<string, string> {
	const names = new Set<string>();
	for (const one of readdirSync(folder, { recursive: true, withFileTypes: true })) {
		if (!one.isFile() || !/\.py$|^\.env/.test(one.name)) continue;
		const text = readFileSync(join(one.parentPath, one.name), 'utf8');
		const pattern = one.name.endsWith('.py')
			? /(?:environ(?:\.get)?\s*[[(]|getenv\(|config\()\s*["'](\w+)["']/g
			: /^\s*([A-Z]\w*)=/gm;
		for (const [, name = ''] of text.matchAll(pattern)) names.add(name);
	}
	const missing = [...names].filter((name) => /(KEY|TOKEN|SECRET|ID|PASSWORD)$/.test(name));
	return Object.fromEntries(missing.map((name) => [name, `test-${name.toLowerCase()}`]));
}
