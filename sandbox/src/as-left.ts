import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Remembers the state in which a start left things in a kept home, so that the next start knows what the user has
 * changed.
 */
export class AsLeft {
	private readonly marks: Record<string, string>;

	constructor(private readonly file: string) {
		this.marks = read(file);
	}

	/** Whether the mark of a thing, which n8n changes at each save, differs from the one it was left with. */
	isChanged(id: string, mark: string): boolean {
		return this.marks[id] !== mark;
	}

	note(id: string, mark: string): void {
		this.marks[id] = mark;
		writeFileSync(this.file, JSON.stringify(this.marks));
	}
}

/** A home of an earlier version has no such file: everything in it counts as changed by the user. */
function read(file: string): Record<string, string> {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
	} catch {
		return {};
	}
}
