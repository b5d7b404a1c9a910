import type { CrewClient } from '../api/client';
import { pause, type EndSignal } from '../api/pause';
import { ask, findRunning, forgetAnswer, isRefused, type Watched } from './watched';

/** Milliseconds until the next question, by how many rounds of questions came before. */
export type Pace = (rounds: number) => number;

/** For executions whose end only the status tells: soon for quick crews, less often for slow ones. */
export function pollingPace(interval: number): Pace {
	const growing = (rounds: number) => interval * 1.5 ** (rounds - 1);
	return (rounds) =>
		rounds === 0
			? Math.min(1_000, interval)
			: Math.min(Math.max(30_000, interval), growing(rounds)) * (0.9 + Math.random() * 0.2);
}

/** For executions whose end a callback tells, unless it is lost: 3 s, 2 minutes, then each 4 to 4.5. */
export const besideCallbacks: Pace = (rounds) =>
	[3_000, 117_000][rounds] ?? 240_000 + Math.random() * 30_000;

/** Milliseconds for which a server is left alone at most, however long it asks for. */
const LONGEST_RETRY_AFTER = 600_000;

/** Executions that are asked for their status until all are over. */
export interface Rounds {
	open: Watched[];
	pace: Pace;
	/** How many rounds there were. */
	count: number;
	/** Until when to ask, in milliseconds since the epoch. */
	endsAt: number;
	maxParallel: number;
	/** Whether what the crews answer is kept; else only whether they are over. */
	keepsAnswers: boolean;
}

/**
 * Asks round by round, until each execution is over, the crew refuses the credential, `endsAt` has
 * come or `signal` fires. One execution that is still running is enough in a round.
 *
 * @param crew whose client is another one in each round, perhaps
 * @returns why there are no more rounds
 */
export async function askInRounds(
	rounds: Rounds,
	crew: { client: CrewClient },
	signal?: EndSignal,
): Promise<'over' | 'refused' | 'time is up' | 'aborted'> {
	for (let retryAfter = 0; ; rounds.count++) {
		const next = Math.max(rounds.pace(rounds.count), Math.min(retryAfter, LONGEST_RETRY_AFTER));
		await pause(Math.max(0, Math.min(next, rounds.endsAt - Date.now())), signal);
		if (signal?.aborted) return 'aborted';
		if (Date.now() >= rounds.endsAt) return 'time is up';
		const round = await askOneRound(rounds, crew.client);
		if (signal?.aborted) return 'aborted';
		if (!round.isRunning) return 'over';
		if (round.isRefused) return 'refused';
		({ retryAfter } = round);
	}
}

async function askOneRound({ open, maxParallel, keepsAnswers }: Rounds, client: CrewClient) {
	const found = { isRunning: false, isRefused: false, retryAfter: 0 };
	found.isRunning = await findRunning(open, maxParallel, async (one) => {
		await ask(client, one);
		found.isRefused ||= isRefused(one);
		found.retryAfter = Math.max(found.retryAfter, one.failure?.retryAfter ?? 0);
		if (!keepsAnswers) forgetAnswer(one);
	});
	return found;
}
