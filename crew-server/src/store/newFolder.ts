import { existsSync, rmSync } from 'node:fs';

/** Removes a folder that a start has created, unless the start succeeds; even if the process ends. */
export class NewFolder {
	private readonly made: string | undefined;

	/** @param folder the folder that will be created, if it does not exist yet */
	constructor(folder: string | undefined) {
		if (folder === undefined || existsSync(folder)) return;
		this.made = folder;
		process.on('exit', this.remove);
	}

	readonly remove = (): void => {
		this.keep();
		if (this.made !== undefined) rmSync(this.made, { recursive: true, force: true });
	};

	keep(): void {
		process.off('exit', this.remove);
	}
}
