import { readFileSync, writeFileSync } from 'node:fs';

/** Remembers how a start has left things in a home that is kept, so that the next one knows what the user has changed. */
export class AsLeft {
	private readonly marks: Record<string, string>;

	constructor(private readonly file: string) {
		this.marks = read(file);
	}

	/** Whether a thing that is there has another mark than it was left with; n8n changes it at each save. */
	isChanged(id: string, mark: string): boolean {
		return this.marks[id] !== mark;
	}

	note(id: string, mark: string): void {
		this.marks[id] = mark;
		writeFileSync(this.file, JSON.stringify(this.marks));
	}
}

/** A home of an earlier version has none: what is in it counts as the user's. */
function read(file: string): Record<string, string> {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
	} catch {
		return {};
	}
}
