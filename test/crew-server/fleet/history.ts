import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

/** One effect that was seen from outside, or that a server has told on its way to the store. */
export type Effect =
	/** A kickoff was answered. A repeated one has the key of the first. */
	| { what: 'kickoff'; id: string; key: string }
	/** A kickoff was not answered in time, though it was repeated. */
	| { what: 'unanswered'; key: string }
	/** A worker begins a task; it comes to an end of it; it hears that the store has that end. */
	| ({ what: 'begun' } & OfTask)
	| ({ what: 'finished' } & OfTask)
	| ({ what: 'journaled' } & OfTask)
	/** A model was asked about a task of the execution that was kicked off with the key. */
	| { what: 'asked'; key: string; task: string }
	/** A callback has come in, by its identifier. */
	| { what: 'callback'; id: string; callback: string; receiver: string }
	/** A person’s answer was taken, or refused. */
	| { what: 'resumed'; id: string; status: number }
	/** A stop was answered. */
	| { what: 'stopped'; id: string }
	/** An execution has come to a status. */
	| { what: 'ended'; id: string; status: string }
	/** All events of an execution, as a reader has them: `number type task mark`. */
	| { what: 'read'; id: string; reader: string; events: string[] }
	/** How many executions all servers work on, and the one that works on most. */
	| { what: 'running'; all: number; most: number }
	/** All executions that the database has of this round. */
	| { what: 'kept'; ids: string[] };

interface OfTask {
	id: string;
	task: string;
	worker: string;
}

/** `at`: milliseconds by the machine’s monotonic clock, which all processes share. */
export type Entry = Effect & { at: number };

/** What has happened, a line each, in a file that several processes write. */
export class History {
	constructor(
		readonly file: string,
		private readonly now = monotonic,
	) {}

	/** Forgets what was before. */
	clear(): void {
		writeFileSync(this.file, '');
	}

	add(effect: Effect): void {
		// Each line is appended whole, even if several processes write at once.
		appendFileSync(this.file, `${JSON.stringify({ at: this.now(), ...effect })}\n`);
	}

	/** All of it, in the order in which it happened. */
	entries(): Entry[] {
		const lines = readFileSync(this.file, 'utf8').split('\n').filter(Boolean);
		return lines.map((line) => JSON.parse(line) as Entry).sort((one, other) => one.at - other.at);
	}
}

function monotonic(): number {
	return Number(process.hrtime.bigint()) / 1e6;
}
