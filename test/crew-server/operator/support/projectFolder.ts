import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A project for a fake host, whose behavior can be changed at any time. */
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

	/** Lets stopped hosts continue, so that those without a server end. */
	wake(): void {
		for (const { pid } of this.starts) {
			try {
				process.kill(pid, 'SIGCONT');
			} catch {
				// It has ended.
			}
		}
	}

	/** The start times and process ids of its hosts. */
	get starts(): Array<{ at: number; pid: number }> {
		const lines = readFileSync(join(this.folder, 'starts'), 'utf8').trim().split('\n');
		return lines.map((line) => {
			const [at, pid] = line.split(' ').map(Number);
			return { at: at!, pid: pid! };
		});
	}
}
