import { Room } from '../../crew-server/src/worker/room';

/** A room, and who is in it: `join` lets in as many new ones as there is room for, in order. */
function roomOf(size: number, mostYielded?: number) {
	const waiting: string[] = [];
	const taken: string[] = [];
	const enter = () => {
		while (room.free > 0) {
			const next = waiting.shift();
			if (next === undefined) return;
			taken.push(next);
			room.enter(next);
		}
	};
	const room = new Room<string>(size, enter, mostYielded);
	const join = (name: string) => {
		waiting.push(name);
		enter();
	};
	const goOn = (name: string) => room.regainSlot(name).then(() => taken.push(name));
	return { room, join, goOn, taken };
}

/** Waits until resolved promises have had their effect. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('lets in as many as it has room for, and the next ones as others leave', () => {
	const { room, join, taken } = roomOf(2);
	for (const name of ['first', 'second', 'third', 'fourth']) join(name);
	expect(taken).toEqual(['first', 'second']);
	room.leave('second');
	expect(taken).toEqual(['first', 'second', 'third']);
});

it('makes room for others while one waits for a person, and lets that one continue before new ones', async () => {
	const { room, join, goOn, taken } = roomOf(1);
	join('first');
	room.yieldSlot('first');
	join('second');
	join('new');
	expect(taken).toEqual(['first', 'second']);
	void goOn('first');
	await turn();
	expect(taken).toEqual(['first', 'second']);
	room.leave('second');
	await turn();
	expect(taken).toEqual(['first', 'second', 'first']);
	room.leave('first');
	expect(taken).toEqual(['first', 'second', 'first', 'new']);
});

it('lets one keep its room if too many wait for a person', async () => {
	const { room, join, goOn, taken } = roomOf(1, 1);
	join('first');
	room.yieldSlot('first');
	join('second');
	room.yieldSlot('second');
	join('third');
	expect(taken).toEqual(['first', 'second']);
	await goOn('second');
	expect(taken).toEqual(['first', 'second', 'second']);
	// The first goes on as soon as there is room; the third is new.
	void goOn('first');
	room.leave('second');
	await turn();
	expect(taken).toEqual(['first', 'second', 'second', 'first']);
});

it('no longer keeps a place for one that leaves while it waits to continue', async () => {
	const { room, join, goOn, taken } = roomOf(1);
	join('first');
	room.yieldSlot('first');
	join('second');
	const isOver = goOn('first');
	room.leave('first');
	await isOver;
	room.leave('second');
	join('third');
	expect(taken).toEqual(['first', 'second', 'first', 'third']);
});
