import { existsSync, rmSync } from 'node:fs';

/** Removes a folder that a start makes, unless the start succeeds; also if it ends the process. */
export class NewFolder {
	private readonly made: string | undefined;

	/** @param folder the one that is going to be made, if it is not there yet */
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
