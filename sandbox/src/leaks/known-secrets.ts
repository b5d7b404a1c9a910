import { tokenFor } from '../../../nodes/Crew/callbacks/token';
import { CALLBACK_KINDS } from '../../../nodes/Crew/model/callback';
import type { CrewServer } from '../../../crew-server/src';

/** Anything shorter is a word such as `none` or `wrong`, not a secret, and found everywhere. */
const SHORTEST = 12;

/** The secrets that a sandbox's n8n was given: n8n must not write them down anywhere. */
export class KnownSecrets {
	/** What each secret is, by its value. */
	private readonly names = new Map<string, string>();
	private readonly callbackSecrets = new Set<string>();
	/** The unique part of each Crew Trigger's URL. */
	private readonly triggers = new Set<string>();

	noteCrew({ accessToken, userAccessToken }: CrewServer): void {
		this.add('access token', accessToken);
		this.add('user access token', userAccessToken);
	}

	/** Notes secrets that others have given to this n8n, in the form of {@link all}. */
	noteAll(secrets: Iterable<readonly [value: string, name: string]>): void {
		for (const [value, name] of secrets) this.add(name, value);
	}

	/** Notes the crew credentials and workflows in a request to n8n's REST interface or in its answer. */
	note(body: unknown): void {
		const { type, data, credentials, nodes } = recordOf(body);
		if (type === 'crewApi') this.noteCredential(recordOf(data));
		if (credentials !== undefined) this.note(credentials);
		for (const node of Array.isArray(nodes) ? nodes : []) {
			const { type: nodeType, webhookId } = recordOf(node);
			const isTrigger = nodeType === 'n8n-nodes-crew.crewTrigger';
			if (isTrigger && typeof webhookId === 'string') this.triggers.add(webhookId);
		}
	}

	/** All secrets with their names, including the tokens that the node derives. */
	all(): ReadonlyMap<string, string> {
		const all = new Map(this.names);
		for (const secret of this.callbackSecrets) {
			for (const trigger of this.triggers) {
				for (const kind of CALLBACK_KINDS) {
					const url = `http://n8n/webhook/${trigger}/webhook`;
					all.set(tokenFor(secret, kind, url), `token for ${kind} callbacks`);
				}
			}
		}
		return all;
	}

	private noteCredential({ accessToken, callbackSecret }: Record<string, unknown>): void {
		if (typeof accessToken === 'string') {
			this.add('access token', accessToken.replace(/^bearer\s+/i, ''));
		}
		if (typeof callbackSecret === 'string' && callbackSecret !== '') {
			this.add('callback secret', callbackSecret);
			this.callbackSecrets.add(callbackSecret);
		}
	}

	private add(name: string, value: string): void {
		if (value.length >= SHORTEST) this.names.set(value, name);
	}
}

function recordOf(value: unknown): Record<string, unknown> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
