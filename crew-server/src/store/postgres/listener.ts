import { randomUUID } from 'node:crypto';

import type { OthersListener, Written } from '../database';
import type { StoreChange } from '../store';
import { Connection, type Address } from './connection';

/** Bytes of the longest notice that PostgreSQL accepts, minus what is around the changes. */
const LONGEST_NOTICE = 7_900;
/** Milliseconds between two checks whether notices still arrive. */
const BETWEEN_LOOKS = 2_000;

/** A change as it is sent to others: short, since there are many. */
type ShortChange = [
	key: number,
	kickoffId: string,
	before: string,
	state: StoreChange['state'],
	version: number,
	hasCallbacks: boolean,
];

interface Notice {
	from: string;
	/** Absent in a notice that only tests whether notices arrive. */
	changes?: ShortChange[];
}

/** Receives what other processes have written. */
export class Listener {
	/** Why the database did not answer last time. */
	problem: string | undefined;
	/** The channel of the deployment. */
	readonly channel: string;
	private readonly name = randomUUID();
	private readonly connection: Connection;
	private hasHeard = false;
	private timer: NodeJS.Timeout | undefined;
	private looking: Promise<void> | undefined;
	private tell: OthersListener = () => undefined;

	constructor(address: Address) {
		this.channel = address.schema;
		this.connection = new Connection(address);
	}

	start(tell: OthersListener): void {
		this.tell = tell;
		this.look();
		this.timer = setInterval(() => {
			this.look();
		}, BETWEEN_LOOKS);
	}

	async close(): Promise<void> {
		clearInterval(this.timer);
		await this.connection.close();
		await this.looking;
	}

	/** Closes the connection; the next check listens on a new one. */
	disconnect(): Promise<void> {
		return this.connection.close();
	}

	/** The notices to other processes about what was written. */
	noticesOf(written: ReadonlyArray<Written<unknown>>): string[] {
		const notices: string[] = [];
		let changes: ShortChange[] = [];
		const text = () => JSON.stringify({ from: this.name, changes } satisfies Notice);
		for (const change of written.flatMap((one) => one.changes ?? [])) {
			changes.push(shortened(change));
			if (Buffer.byteLength(text()) <= LONGEST_NOTICE) continue;
			const last = changes.splice(-1);
			if (changes.length > 0) notices.push(text());
			changes = last;
		}
		return changes.length > 0 ? [...notices, text()] : notices;
	}

	/** Checks that notices arrive: a connection may be lost, or a pooler may never pass them on. If none does, anything may have changed. */
	private look(): void {
		if (!this.hasHeard) this.tell(undefined);
		this.hasHeard = false;
		if (this.looking) return;
		this.looking = this.ping()
			.then(
				() => {
					this.problem = undefined;
				},
				async (error: unknown) => {
					this.problem = (error as Error).message;
					await this.disconnect();
				},
			)
			.finally(() => {
				this.looking = undefined;
			});
	}

	private async ping(): Promise<void> {
		const client = await this.connection.open();
		if (client.listenerCount('notification') === 0) {
			client.on('notification', ({ payload = '' }) => {
				this.hear(payload);
			});
			await client.query(`LISTEN "${this.channel}"`);
			// For what was written while nobody was listening.
			this.tell(undefined);
		}
		const notice = JSON.stringify({ from: this.name } satisfies Notice);
		await client.query('SELECT pg_notify($1, $2)', [this.channel, notice]);
	}

	private hear(payload: string): void {
		const notice = noticeIn(payload);
		if (notice?.from === this.name) this.hasHeard = true;
		else if (!notice) this.tell(undefined);
		else if (notice.changes) this.tell(notice.changes.map(whole));
	}
}

/** Any user of the database can send to the channel, and anything: that must not end the process. */
function noticeIn(payload: string): Notice | undefined {
	try {
		const { from, changes } = JSON.parse(payload) as Notice;
		const areChanges =
			changes === undefined || (Array.isArray(changes) && changes.every(Array.isArray));
		return areChanges ? { from, changes } : undefined;
	} catch {
		return undefined;
	}
}

function shortened({
	key,
	kickoffId,
	before,
	state,
	version,
	hasCallbacks,
}: StoreChange): ShortChange {
	return [key, kickoffId, before, state, version, hasCallbacks];
}

function whole([key, kickoffId, before, state, version, hasCallbacks]: ShortChange): StoreChange {
	return { key, kickoffId, before, state, version, hasCallbacks };
}
