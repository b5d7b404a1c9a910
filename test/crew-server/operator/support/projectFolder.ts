import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A project that a fake host runs, which behaves as it is told to from its next start on. */
export class ProjectFolder {
	constructor(
		readonly folder: string,
		...behavior: string[]
	) {
		mkdirSync(join(this.folder, 'src', 'fake'), { recursive: true });
		writeFileSync(join(this.folder, 'src', 'fake', 'crew.py'), '');
		this.behave(...behavior);
	}

	readonly python = join(__dirname, 'fakeHost.cjs');

	get args(): string[] {
		return [this.folder, '--python', this.python];
	}

	behave(...behavior: string[]): void {
		writeFileSync(join(this.folder, 'behavior'), behavior.join('\n'));
	}

	/** Lets hosts that were stopped go on: those whose server is gone end then. */
	wake(): void {
		for (const { pid } of this.starts) {
			try {
				process.kill(pid, 'SIGCONT');
			} catch {
				// It has ended.
			}
		}
	}

	/** When its hosts were started, and their processes. */
	get starts(): Array<{ at: number; pid: number }> {
		const lines = readFileSync(join(this.folder, 'starts'), 'utf8').trim().split('\n');
		return lines.map((line) => {
			const [at, pid] = line.split(' ').map(Number);
			return { at: at!, pid: pid! };
		});
	}
}
