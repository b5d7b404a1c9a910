import { join } from 'node:path';

import { findFreePort } from '../../../sandbox/src/ports';
import {
	installCrewServer,
	type InstalledCrewServer,
} from '../../../sandbox/src/installed-crew-server';
import type { Teardown } from '../../../sandbox/src/teardown';
import { copyProject } from '../../crewai/support/deployment';
import {
	ensureCrewai,
	ensureTools,
	findInterpreters,
	NO_PYTHON,
} from '../../crewai/support/environments';
import { startScriptedModel, type ScriptedModel } from '../../crewai/support/scriptedModel';
import { Client } from '../../crew-server/support/client';
import { Command } from '../../crew-server/support/command';

/** Milliseconds; CrewAI alone takes seconds to import, and other tests run beside these. */
const STARTED_WITHIN = 240_000;

/** What CrewAI projects need to run: the packed crew server, as npm installs it, CrewAI, and a model that follows a script. */
export interface RealCrews {
	model: ScriptedModel;
	/** The Python that has CrewAI. */
	python: string;
	/** Serves a copy of a project of the tests. */
	deploy: (project: string) => Promise<RealCrew>;
	/** Serves the project in a folder. */
	serve: (folder: string) => Promise<RealCrew>;
}

export async function prepareRealCrews(teardown: Teardown): Promise<RealCrews> {
	const installed = await installCrewServer();
	teardown.add(() => {
		installed.remove();
	});
	const model = await startScriptedModel();
	teardown.add(() => model.close());
	const [interpreter] = await findInterpreters();
	if (!interpreter) throw new Error(NO_PYTHON);
	const python = await ensureCrewai('newest', interpreter, await ensureTools(interpreter));
	const serve = async (folder: string) => {
		const crew = new RealCrew(installed, folder, python, await findFreePort());
		teardown.add(() => crew.end('SIGTERM'));
		await crew.start();
		return crew;
	};
	return {
		model,
		python,
		serve,
		deploy: async (project) => {
			const copy = copyProject(project, model.env);
			teardown.add(() => {
				copy.remove();
			});
			return await serve(copy.folder);
		},
	};
}

/** A project on the packed crew server, which can be ended and started again on the same data. */
export class RealCrew {
	readonly accessToken = 'token-of-a-real-crew';
	readonly url: string;
	readonly client: Client;
	private command: Command | undefined;

	constructor(
		private readonly installed: InstalledCrewServer,
		readonly folder: string,
		private readonly python: string,
		private readonly port: number,
	) {
		this.url = `http://127.0.0.1:${port}`;
		this.client = new Client(this);
	}

	get pid(): number {
		if (this.command?.pid === undefined) throw new Error('The server does not run');
		return this.command.pid;
	}

	async start(): Promise<void> {
		const { installed, folder, python, port, accessToken } = this;
		const options = { python, port: String(port), token: accessToken, data: join(folder, 'data') };
		const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
		const { program } = installed;
		this.command = new Command([folder, ...args], { program, folder: installed.folder });
		await this.command.said(/URL +(\S+)/, STARTED_WITHIN);
	}

	/** Sends the server a signal, and waits until it has ended. @returns its exit code */
	async end(signal: NodeJS.Signals): Promise<number | null | undefined> {
		this.command?.kill(signal);
		return await this.command?.ended;
	}
}
