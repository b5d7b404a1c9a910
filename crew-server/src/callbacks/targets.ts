import type { Aspects } from '../dialect';

/** How a richer callback proves who sends it. */
export type CallbackAuthentication =
	{ strategy: 'bearer'; token: string } | { strategy: 'basic'; username: string; password: string };

export interface HumanInputTarget {
	url: string;
	authentication?: CallbackAuthentication;
}

export interface StreamTarget extends HumanInputTarget {
	/** Event types that are wanted. */
	events: string[];
	/** Whether each event is sent on its own and at once. */
	realtime?: boolean;
}

/** Where an execution calls back, under the names that kickoff and resume give. */
export interface CallbackTargets {
	taskWebhookUrl?: string;
	stepWebhookUrl?: string;
	/** Whether only the use of tools, and what an agent makes of it, is a step. */
	stepsOfTools?: boolean;
	crewWebhookUrl?: string;
	humanInputWebhook?: HumanInputTarget;
	humanInputWebhookUrl?: string;
	webhooks?: StreamTarget;
}

/**
 * The targets among other fields of a body that the deployment calls; a new object that holds nothing else. A question
 * is sent once, and rather to who asks for a proof of its sender, unless the deployment sends it to both or never so.
 */
export function targetsOf(
	body: CallbackTargets,
	{ questions, steps }: Pick<Aspects, 'questions' | 'steps'>,
): CallbackTargets {
	const { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhookUrl, webhooks } = body;
	const humanInputWebhook = questions === 'url' ? undefined : body.humanInputWebhook;
	const takesUrl = questions !== 'object' || humanInputWebhook === undefined;
	return {
		taskWebhookUrl,
		stepWebhookUrl,
		...(steps === 'tools' ? { stepsOfTools: true } : {}),
		crewWebhookUrl,
		humanInputWebhook,
		...(takesUrl ? { humanInputWebhookUrl } : {}),
		webhooks,
	};
}

/** The value of the `Authorization` header that a target asks for, if any. */
export function authorizationFor(authentication?: CallbackAuthentication): string | undefined {
	if (!authentication) return undefined;
	if (authentication.strategy === 'bearer') return `Bearer ${authentication.token}`;
	const { username, password } = authentication;
	return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
