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
