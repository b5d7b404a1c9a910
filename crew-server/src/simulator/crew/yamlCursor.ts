import { readFileSync } from 'node:fs';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';

/** A file with a mistake: the message names the file, the line and what was expected. */
export class BrokenFileError extends Error {
	override readonly name = 'BrokenFileError';

	constructor(file: string, line: number, message: string) {
		super(`${file}:${line}: ${message}`);
	}
}

interface Source {
	file: string;
	lines: LineCounter;
}

/** A place in a YAML file, which can be read as what is expected there, or refused with its line. */
export class YamlCursor {
	private constructor(
		private readonly source: Source,
		private readonly node: Node | null,
		private readonly path: string,
		private readonly line: number,
	) {}

	/** @throws {BrokenFileError} if the file is not YAML */
	static open(file: string): YamlCursor {
		const lines = new LineCounter();
		const document = parseDocument(readFileSync(file, 'utf8'), {
			lineCounter: lines,
			prettyErrors: false,
		});
		const [problem] = document.errors;
		if (problem) {
			throw new BrokenFileError(
				file,
				lines.linePos(problem.pos[0]).line,
				`expected YAML, but: ${problem.message}`,
			);
		}
		return new YamlCursor({ file, lines }, document.contents, '', 1);
	}

	/** @throws {BrokenFileError} always, with what was expected here and what is here instead */
	refuse(expected: string): never {
		throw this.problem(`expected ${expected}, found ${this.found()}`);
	}

	/** An error about this place, to be thrown by the caller. */
	problem(message: string): BrokenFileError {
		const place = this.path === '' ? '' : `${this.path}: `;
		return new BrokenFileError(this.source.file, this.line, place + message);
	}

	get exists(): boolean {
		return this.node !== null && !(isScalar(this.node) && this.node.value === null);
	}

	/** The value under a name; it may not exist, and says so when it is read. */
	at(name: string): YamlCursor {
		const pair = this.pairs().find(({ key }) => key === name);
		return pair?.cursor ?? new YamlCursor(this.source, null, this.under(name), this.line);
	}

	/** All names of a map with their values. */
	entries(): Array<[string, YamlCursor]> {
		return this.pairs().map(({ key, cursor }) => [key, cursor]);
	}

	/** Refuses unknown names, which usually are misspelled. */
	allowOnly(names: readonly string[]): void {
		for (const [name, value] of this.entries()) {
			if (names.includes(name)) continue;
			throw value.problem(`is not known here; expected one of ${names.join(', ')}`);
		}
	}

	items(): YamlCursor[] {
		if (!isSeq(this.node)) return this.refuse('a list');
		return this.node.items.map((item, index) => this.child(item as Node, `${this.path}[${index}]`));
	}

	text(expected = 'a text'): string {
		const value = this.scalar();
		if (typeof value === 'number' || typeof value === 'boolean') return String(value);
		if (typeof value !== 'string' || value.trim() === '') return this.refuse(expected);
		return value;
	}

	optionalText(): string | undefined {
		return this.exists ? this.text() : undefined;
	}

	flag(fallback: boolean): boolean {
		if (!this.exists) return fallback;
		const value = this.scalar();
		return typeof value === 'boolean' ? value : this.refuse('true or false');
	}

	milliseconds(fallback: number): number {
		if (!this.exists) return fallback;
		const value = this.scalar();
		const isDuration = Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31;
		return isDuration ? Number(value) : this.refuse('a whole number of milliseconds, 0 or more');
	}

	choice<Choice extends string>(choices: readonly Choice[], fallback: Choice): Choice {
		if (!this.exists) return fallback;
		const value = this.scalar();
		return (
			choices.find((choice) => choice === value) ?? this.refuse(`one of ${choices.join(', ')}`)
		);
	}

	private pairs(): Array<{ key: string; cursor: YamlCursor }> {
		if (!isMap(this.node)) return this.refuse('names with values (name: value)');
		return this.node.items.map((pair) => {
			const key = isScalar(pair.key) ? String(pair.key.value) : '';
			const keyNode = this.child(pair.key as Node, this.under(key));
			const node = pair.value as Node | null;
			// A problem with a value is reported at its name, which may be some lines above it.
			return { key, cursor: new YamlCursor(this.source, node, keyNode.path, keyNode.line) };
		});
	}

	private child(node: Node | null, path: string): YamlCursor {
		const start = node?.range?.[0];
		const line = start === undefined ? this.line : this.source.lines.linePos(start).line;
		return new YamlCursor(this.source, node, path, line);
	}

	private under(name: string): string {
		return this.path === '' ? name : `${this.path}.${name}`;
	}

	private scalar(): unknown {
		return isScalar(this.node) ? this.node.value : undefined;
	}

	private found(): string {
		if (!this.exists) return 'nothing';
		if (isMap(this.node)) return 'names with values';
		if (isSeq(this.node)) return 'a list';
		return JSON.stringify(this.scalar());
	}
}
