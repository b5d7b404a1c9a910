import type { CrewClient } from '../../../nodes/Crew/api/client';
import { CrewApiError } from '../../../nodes/Crew/api/errors';
import { askInRounds, type Rounds } from '../../../nodes/Crew/waiting/rounds';
import type { Watched } from '../../../nodes/Crew/waiting/watched';

/** A join of two crews: the first has ended, the second cannot answer just now, and then has ended too. */
function join(keepsAnswers: boolean): { rounds: Rounds; client: CrewClient } {
	const faults = [new CrewApiError('Busy', { description: 'Try again', transient: true })];
	const getStatusOnce = async (kickoffId: string) => {
		const fault = kickoffId === 'second' ? faults.shift() : undefined;
		if (fault) return await Promise.reject(fault);
		return { status: 'completed', result: { output: 'Bees' } };
	};
	const open = ['first', 'second'].map((kickoffId, itemIndex): Watched => ({
		itemIndex,
		kickoffId,
		since: 0,
		base: {},
	}));
	const rounds = { open, pace: () => 0, count: 0, endsAt: Infinity, maxParallel: 1, keepsAnswers };
	return { rounds, client: { getStatusOnce } as unknown as CrewClient };
}

it('keeps no answer and no error where only the end counts', async () => {
	const { rounds, client } = join(false);
	await expect(askInRounds(rounds, { client })).resolves.toBe('over');
	expect(rounds.count).toBe(1);
	for (const { execution, response, failure } of rounds.open) {
		expect({ execution, response, failure }).toEqual({ execution: { status: 'completed' } });
	}
});

it('keeps what items are made of where the execution is kept running', async () => {
	const { rounds, client } = join(true);
	await askInRounds(rounds, { client });
	expect(rounds.open).toMatchObject([
		{ execution: { output: 'Bees' } },
		{ execution: { output: 'Bees' } },
	]);
});
