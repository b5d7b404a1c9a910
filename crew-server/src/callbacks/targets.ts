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
	crewWebhookUrl?: string;
	humanInputWebhook?: HumanInputTarget;
	webhooks?: StreamTarget;
}

/** The targets among other fields of a body; a new object that holds nothing else. */
export function targetsOf(body: CallbackTargets): CallbackTargets {
	const { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhook, webhooks } = body;
	return { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhook, webhooks };
}

/** The value of the `Authorization` header that a target asks for, if any. */
export function authorizationFor(authentication?: CallbackAuthentication): string | undefined {
	if (!authentication) return undefined;
	if (authentication.strategy === 'bearer') return `Bearer ${authentication.token}`;
	const { username, password } = authentication;
	return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
