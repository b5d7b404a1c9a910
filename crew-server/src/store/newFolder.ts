import { existsSync, rmSync } from 'node:fs';

/** Notes whether a folder is still to be made. @returns begins to watch over it, for {@link Undo} */
export function unlessThere(folder: string | undefined): () => Undo {
	const isNew = folder !== undefined && !existsSync(folder);
	return () => new Undo(isNew ? folder : undefined);
}

/** Removes a folder that a start has made, unless the start succeeds; also if it ends the process. */
class Undo {
	constructor(private readonly folder: string | undefined) {
		process.on('exit', this.run);
	}

	readonly run = (): void => {
		this.keep();
		if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
	};

	keep(): void {
		process.off('exit', this.run);
	}
}
