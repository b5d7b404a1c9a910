import { SeededRandom } from '../../support/seededRandom';

test('the same seed gives the same order, another seed another one', () => {
	const topics = Array.from({ length: 50 }, (_, index) => index);
	const order = (seed: number) => new SeededRandom(seed).shuffle(topics);

	expect(order(1)).toEqual(order(1));
	expect(order(1)).not.toEqual(order(2));
	expect([...order(1)].sort((a, b) => a - b)).toEqual(topics);
});
