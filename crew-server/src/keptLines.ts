/** A line of the log about an execution, as it was written. */
export interface KeptLine {
	/** Milliseconds since 1970. */
	at: number;
	level: string;
	text: string;
}

/** How many lines are kept for one execution, and how many characters for all together. */
const MOST_LINES = 1_000;
const MOST_CHARACTERS = 1024 ** 2;
/** How many characters a line counts for besides its text. */
const EACH_LINE = 128;

/** The newest lines of the log about each execution, as long as this process lives. */
export class KeptLines {
	/** In order of their newest line. */
	private readonly lines = new Map<string, KeptLine[]>();
	private characters = 0;

	/** @param facts the fields of a line, without secrets */
	add({ time, level, msg, kickoff_id: kickoffId, ...facts }: Record<string, unknown>): void {
		if (typeof kickoffId !== 'string') return;
		// Nothing of the execution is kept.
		if (msg === 'deleted') {
			this.remove(kickoffId);
			return;
		}
		const text = textOf(String(msg), facts);
		const lines = this.lines.get(kickoffId) ?? [];
		this.lines.delete(kickoffId);
		this.lines.set(kickoffId, lines);
		lines.push({ at: Number(time), level: String(level), text });
		this.characters += sizeOf(text);
		if (lines.length > MOST_LINES) this.characters -= sizeOf(lines.shift()?.text ?? '');
		for (const oldest of this.lines.keys()) {
			if (this.characters <= MOST_CHARACTERS || oldest === kickoffId) return;
			this.remove(oldest);
		}
	}

	/** The lines about an execution, the oldest first. */
	of(kickoffId: string): readonly KeptLine[] {
		return this.lines.get(kickoffId) ?? [];
	}

	private remove(kickoffId: string): void {
		for (const { text } of this.of(kickoffId)) this.characters -= sizeOf(text);
		this.lines.delete(kickoffId);
	}
}

function sizeOf(text: string): number {
	return text.length + EACH_LINE;
}

/** What a project has printed is shown as it is. */
function textOf(message: string, facts: Record<string, unknown>): string {
	if (message === 'printed') return String(facts['text']);
	const told = Object.entries(facts).map(([name, value]) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return `${name}=${text}`;
	});
	return [message, ...told].join(' ');
}
