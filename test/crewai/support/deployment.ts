import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../../crew-server/src';
import { Client } from '../../crew-server/support/client';
import { until } from '../../crew-server/support/until';
import type { ScriptedModel } from './scriptedModel';

/** The Python of the tested environment. */
export const python = process.env['CREWAI_PYTHON'] ?? '';

/** The Python of the environment with other people's clients. */
export const clientsPython = process.env['CLIENTS_PYTHON'] ?? '';

/** Files by their paths, or the name of a project in `projects/`. */
export type ProjectSource = string | Record<string, string>;

/** A project in its own folder, with a `.env` for the model. */
export interface ProjectCopy {
	folder: string;
	remove(): void;
}

export function copyProject(source: ProjectSource, env: Record<string, string>): ProjectCopy {
	const name = typeof source === 'string' ? source : 'files';
	const folder = mkdtempSync(join(tmpdir(), `crew-${name}-`));
	if (typeof source === 'string') {
		cpSync(join(__dirname, '..', 'projects', source), folder, { recursive: true });
	} else writeFiles(folder, source);
	writeEnv(folder, env);
	return {
		folder,
		remove: () => {
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

export function writeFiles(folder: string, files: Record<string, string>): void {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
}

function writeEnv(folder: string, env: Record<string, string>): void {
	const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
	writeFileSync(join(folder, '.env'), lines.join(''));
}

/** A project that runs on the crew server. */
export interface Deployment extends ProjectCopy {
	crew: CrewServer;
	client: Client;
	/** The final status of an execution, in the documented words. */
	ended(kickoffId: string): Promise<Record<string, unknown>>;
	/** Starts an execution and waits for its end. */
	run(inputs: Record<string, unknown>): Promise<Record<string, unknown>>;
	close(): Promise<void>;
}

/** Runs a copy of a project on the crew server. */
export async function deploy(
	project: ProjectSource,
	model: ScriptedModel,
	options: CrewServerOptions = {},
	env: Record<string, string> = {},
): Promise<Deployment> {
	const copy = copyProject(project, { ...model.env, ...env });
	const crew = await startCrewServer({
		...options,
		crew: copy.folder,
		project: { python, ...options.project },
	}).catch((error: unknown) => {
		copy.remove();
		throw error;
	});
	const client = new Client(crew);
	const ended = async (kickoffId: string) =>
		await until(async () => {
			const { body } = await client.get(`/${kickoffId}/status`);
			return ENDS.includes(String(body['status'])) && body;
		}, PATIENCE);
	return {
		...copy,
		crew,
		client,
		ended,
		run: async (inputs) => await ended(await client.kickoff({ inputs })),
		close: async () => {
			await crew.close();
			copy.remove();
		},
	};
}

/** Milliseconds that an execution may take on a busy machine. */
export const PATIENCE = 90_000;
const ENDS = ['completed', 'error', 'stopped'];
