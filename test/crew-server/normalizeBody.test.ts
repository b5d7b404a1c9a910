import { normalizeKickoff } from '../../crew-server/src/api/normalizeBody';

it.each([
	['true', true],
	['false', false],
	['yes', 'yes'],
	[1, 1],
])('takes a text for a boolean input only if it is one: %j', (isLong, expected) => {
	const known = [{ name: 'isLong', type: 'boolean' as const, required: false }];
	expect(normalizeKickoff({ inputs: { isLong } }, known)).toEqual({
		inputs: { isLong: expected },
	});
});

it.each([
	['9007199254740991', 9007199254740991],
	['1e3', 1000],
	['9007199254740993', '9007199254740993'],
])('takes a text for an integer input only if it stays the same: %j', (id, expected) => {
	const known = [{ name: 'id', type: 'integer' as const, required: false }];
	expect(normalizeKickoff({ inputs: { id } }, known)).toEqual({ inputs: { id: expected } });
});
