import { fillTemplate, textsOf } from '../../crew-server/src/domain/template';

it('creates the JSON of a value only once, however often it is filled in', () => {
	let made = 0;
	const order = {
		toJSON: () => {
			made += 1;
			return [1];
		},
	};
	const textOf = textsOf({ order, no: null }, (text) => `${text}!`);
	expect(fillTemplate('{order} {no} {order} {constructor} {"a": 1}', textOf)).toBe(
		'[1]! ! [1]! ! {"a": 1}',
	);
	expect(made).toBe(1);
});
