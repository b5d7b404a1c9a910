import { createHmac } from 'node:crypto';
import { isSameToken, tokenFor } from '../../../nodes/Crew/callbacks/token';
import { CALLBACK_KINDS } from '../../../nodes/Crew/model/callback';

const ID = '1f3b0c52-8a3e-4c55-9f0e-2f1d3c4b5a69';
const URL = `https://n8n.example.com/webhook/${ID}/webhook`;

describe('the token of a trigger', () => {
	it('is an HMAC-SHA256 of the secret over kind and trigger', () => {
		const expected = createHmac('sha256', 'secret')
			.update(`["n8n-nodes-crew","crew","${ID}/webhook"]`)
			.digest('base64url');
		expect(tokenFor('secret', 'crew', URL)).toBe(expected);
	});

	it.each([
		['the test URL', `https://n8n.example.com/webhook-test/${ID}/webhook`],
		['another host in front of n8n', `http://localhost:5678/webhook/${ID}/webhook`],
		['a path in front of n8n', `https://example.com/n8n/hooks/${ID}/webhook`],
		['a slash at the end', `${URL}/`],
		['a query', `${URL}?callback=crew`],
	])('is the same for %s', (_what, url) => {
		expect(tokenFor('secret', 'crew', url)).toBe(tokenFor('secret', 'crew', URL));
	});

	it('differs between triggers with the same name and no ID', () => {
		const urlIn = (workflow: string, webhook = 'webhook') =>
			`https://n8n.example.com/${webhook}/${workflow}/crew%20trigger/webhook`;
		const token = tokenFor('secret', 'crew', urlIn('workflow1'));
		expect(tokenFor('secret', 'crew', urlIn('workflow2'))).not.toBe(token);
		expect(tokenFor('secret', 'crew', urlIn('workflow1', 'webhook-test'))).toBe(token);
	});

	it('is the same for the test URL of a trigger whose ID is not a UUID', () => {
		const [production, test] = ['webhook', 'webhook-test'].map((webhook) =>
			tokenFor('secret', 'crew', `https://n8n.example.com/${webhook}/orders/webhook`),
		);
		expect(test).toBe(production);
	});

	it('is different for each kind, trigger and secret', () => {
		const tokens = [
			...CALLBACK_KINDS.map((kind) => tokenFor('secret', kind, URL)),
			tokenFor('secret', 'crew', URL.replace('1f3b', '2f3b')),
			tokenFor('another', 'crew', URL),
		];
		expect(new Set(tokens).size).toBe(tokens.length);
		expect(tokens.join()).not.toContain('secret');
	});
});

describe('two tokens', () => {
	it.each([
		['a', 'a', true],
		['', '', true],
		['a', 'b', false],
		['a', 'aa', false],
		['aa', 'a', false],
		['', 'a', false],
		['ü', 'u', false],
	])('%j and %j are the same: %s', (given, expected, isSame) => {
		expect(isSameToken(given, expected)).toBe(isSame);
	});
});
