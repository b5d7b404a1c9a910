import { KeptLines } from '../../crew-server/src/keptLines';

const line = (kickoff_id: string, text: string) => ({
	time: 1,
	level: 'info',
	msg: 'printed',
	kickoff_id,
	text,
});

it('keeps the lines of each execution as they were written', () => {
	const kept = new KeptLines();
	kept.add({
		time: 5,
		level: 'error',
		msg: 'crew_kickoff_failed',
		kickoff_id: 'a',
		reason: 'no model',
	});
	kept.add(line('a', 'hello'));
	kept.add({ time: 6, level: 'info', msg: 'ended' });
	expect(kept.of('a')).toEqual([
		{ at: 5, level: 'error', text: 'crew_kickoff_failed reason=no model' },
		{ at: 1, level: 'info', text: 'hello' },
	]);
	expect(kept.of('b')).toEqual([]);
});

it('keeps the newest thousand lines of one, and of all together the newest executions', () => {
	const kept = new KeptLines();
	for (let index = 0; index < 1_001; index++) kept.add(line('a', String(index)));
	expect(kept.of('a')).toHaveLength(1_000);
	expect(kept.of('a')[0]?.text).toBe('1');
	const long = 'x'.repeat(256 * 1024);
	for (const id of ['b', 'c', 'd']) kept.add(line(id, long));
	kept.add(line('b', 'again'));
	kept.add(line('e', long));
	expect(['a', 'b', 'c', 'd', 'e'].map((id) => kept.of(id).length)).toEqual([0, 2, 0, 1, 1]);
});

it('keeps none of an execution that is deleted', () => {
	const kept = new KeptLines();
	kept.add(line('a', 'hello'));
	kept.add({ time: 6, level: 'info', msg: 'deleted', kickoff_id: 'a' });
	expect(kept.of('a')).toEqual([]);
});
