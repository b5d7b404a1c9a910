import nock from 'nock';
import { newBaseUrl } from './crewMock';
import type { StartBody } from './waitingCrew';

/** A resume with the platform's names. */
export interface PlatformResume extends StartBody {
	executionId?: string;
	taskId?: string;
}

const required = (name: string) => ({
	loc: ['body', name],
	msg: 'Field required',
	type: 'missing',
});

/** A crew that answers like CrewAI's platform: see docs/reports/platform.md. */
export class PlatformCrew {
	readonly kickoffs: StartBody[] = [];
	/** Including those that were refused. */
	readonly resumes: PlatformResume[] = [];
	/** The status endpoint's answer by ID; `NOT FOUND` if there is none. */
	readonly answers = new Map<string, object>();
	/** Answers to resumes that come before the usual ones. */
	readonly faults: Array<readonly [status: number, body?: string]> = [];

	/** The refusal of a resume with the documented names, instead of the framework's list. */
	refused?: nock.Body;

	/** Whether the status endpoint knows no execution. */
	knowsNothing = false;

	private runs = 0;

	constructor(readonly baseUrl = newBaseUrl()) {
		const crew = nock(this.baseUrl).persist();
		crew.get(/^\/status\//).reply((path) => {
			const unknown = { state: 'NOT FOUND', status: 'Task not found or Invalid kickoff id' };
			const known = this.knowsNothing ? undefined : this.answers.get(path.split('/')[2]!);
			return [200, known ?? unknown];
		});
		crew.get(/^\/[^/]+\/status$/).reply(404, { detail: 'Not Found' });
		crew.post('/kickoff').reply((_path, body) => {
			this.kickoffs.push(body as unknown as StartBody);
			return [200, { kickoff_id: this.begin() }];
		});
		crew.post('/resume').reply((_path, body) => {
			const resume = body as unknown as PlatformResume;
			this.resumes.push(resume);
			const missing = (['executionId', 'taskId'] as const).filter((name) => !resume[name]);
			if (missing.length > 0) return [422, this.refused ?? { detail: missing.map(required) }];
			const [status, fault] = this.faults.shift() ?? [200];
			return status === 200 ? [200, { kickoff_id: this.begin() }] : [status, fault];
		});
	}

	/** Lets an execution end. */
	complete(id: string): void {
		this.answers.set(id, { state: 'SUCCESS', status: null, result: `The end of ${id}` });
	}

	private begin(): string {
		const id = `run-${++this.runs}`;
		this.answers.set(id, { state: 'RUNNING', status: 'Task is Running', result: null });
		return id;
	}
}
