import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

/** An effect that was seen from outside, or that a server's worker has recorded. */
export type Effect =
	/** A kickoff was answered. A repeated one has the key of the first. */
	| { what: 'kickoff'; id: string; key: string }
	/** A kickoff was not answered in time, though it was repeated. */
	| { what: 'unanswered'; key: string }
	/** A worker begins a task; it ends the task, or asks about it; it knows that the store has that. */
	| ({ what: 'begun' } & OfTask)
	| ({ what: 'finished' } & OfTask)
	| ({ what: 'stored' } & OfTask)
	/** A model was asked about a task of the execution that was kicked off with the key. */
	| { what: 'asked'; key: string; task: string }
	/** A callback has arrived. */
	| { what: 'callback'; id: string; callback: string; receiver: string }
	/** A person’s answer was accepted, or refused. */
	| { what: 'resumed'; id: string; status: number }
	/** A stop was answered. */
	| { what: 'stopped'; id: string }
	/** An execution has ended with a status. */
	| { what: 'ended'; id: string; status: string }
	/** The events of an execution that a reader has: `number type task mark`. */
	| { what: 'read'; id: string; reader: string; events: string[] }
	/** How many executions are running at all servers, and at the busiest one. */
	| { what: 'running'; all: number; most: number }
	/** All executions of this round in the database. */
	| { what: 'kept'; ids: string[] };

interface OfTask {
	id: string;
	task: string;
	worker: string;
}

/** `at`: milliseconds by the machine’s monotonic clock, which all processes share. */
export type Entry = Effect & { at: number };

/** The effects, one a line, in a file that several processes write. */
export class History {
	constructor(
		readonly file: string,
		private readonly now = monotonic,
	) {}

	/** Empties the file. */
	clear(): void {
		writeFileSync(this.file, '');
	}

	add(effect: Effect): void {
		// A line is appended as a whole, even if several processes write at once.
		appendFileSync(this.file, `${JSON.stringify({ at: this.now(), ...effect })}\n`);
	}

	/** All entries in the order of their times. */
	entries(): Entry[] {
		const lines = readFileSync(this.file, 'utf8').split('\n').filter(Boolean);
		return lines.map((line) => JSON.parse(line) as Entry).sort((one, other) => one.at - other.at);
	}
}

function monotonic(): number {
	return Number(process.hrtime.bigint()) / 1e6;
}
