import nock from 'nock';
import { newBaseUrl } from '../support/crewMock';
import { KICKOFF_ID, OPERATIONS } from '../support/crewOperations';
import { runCrew } from '../support/engine';

const URLS = {
	taskWebhookUrl: 'https://n8n.example.com/webhook/1?callback=task',
	stepWebhookUrl: 'http://localhost:5678/webhook/2',
	crewWebhookUrl: ' https://n8n.example.com/webhook/3 ',
	humanInputWebhookUrl: 'https://n8n.example.com/webhook/4',
};

describe.each(['kickoff', 'resume'] as const)('own callback URLs on %s', (operation) => {
	async function bodyFor(callbackUrls: Record<string, string>, callbacks = 'custom') {
		const baseUrl = newBaseUrl();
		const bodies: nock.Body[] = [];
		nock(baseUrl)
			.post(`/${operation}`)
			.reply((_path, body) => {
				bodies.push(body);
				return [200, { kickoff_id: KICKOFF_ID, status: 'resumed' }];
			});
		const parameters = { ...OPERATIONS[operation], callbacks, callbackUrls };
		const { error } = await runCrew({ parameters }, { credential: { baseUrl } });
		return { body: bodies[0], error };
	}

	it('are sent in the API’s fields for them', async () => {
		const { body } = await bodyFor(URLS);
		expect(body).toMatchObject({
			taskWebhookUrl: 'https://n8n.example.com/webhook/1?callback=task',
			stepWebhookUrl: 'http://localhost:5678/webhook/2',
			crewWebhookUrl: 'https://n8n.example.com/webhook/3',
			humanInputWebhook: { url: 'https://n8n.example.com/webhook/4' },
			humanInputWebhookUrl: 'https://n8n.example.com/webhook/4',
		});
	});

	it('are left out if they are empty, and if callbacks are none', async () => {
		const names = [...Object.keys(URLS), 'humanInputWebhook', 'webhooks'];
		const empty = await bodyFor({ taskWebhookUrl: ' ', crewWebhookUrl: '' });
		const none = await bodyFor(URLS, 'none');
		for (const { body } of [empty, none]) {
			expect(Object.keys(body as object).filter((name) => names.includes(name))).toEqual([]);
		}
	});

	it.each([
		['taskWebhookUrl', 'Task Webhook URL', '/webhook/1', /a whole address/],
		['stepWebhookUrl', 'Step Webhook URL', 'ftp://n8n.example.com', /a whole address/],
		[
			'crewWebhookUrl',
			'Crew Webhook URL',
			'https://me:secret@n8n.example.com',
			/user name or a password/,
		],
		['humanInputWebhookUrl', 'Human Input Webhook URL', 'https://', /a whole address/],
	])('are refused by name before anything is sent: %s', async (name, displayName, url, reason) => {
		const { body, error } = await bodyFor({ ...URLS, [name]: url });
		expect(error?.message).toMatch(reason);
		expect(error?.message.startsWith(`${displayName} cannot be called: `)).toBe(true);
		expect(error?.message).not.toContain('secret');
		expect(error?.item).toBe(0);
		expect(body).toBeUndefined();
	});
});
