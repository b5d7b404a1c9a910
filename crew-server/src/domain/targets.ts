/** What a callback is about; `stream` carries events. */
export const CALLBACK_KINDS = ['task', 'step', 'crew', 'human_input', 'stream'] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

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
	/** Whether only the use of tools, and what an agent concludes from it, is a step. */
	stepsOfTools?: boolean;
	crewWebhookUrl?: string;
	humanInputWebhook?: HumanInputTarget;
	humanInputWebhookUrl?: string;
	webhooks?: StreamTarget;
}

/** A callback that has to be sent. */
export interface DueCallback {
	/** Stays the same in all attempts: receivers recognize repeats by it. */
	id: string;
	kickoffId: string;
	kind: CallbackKind;
	url: string;
	authentication?: CallbackAuthentication;
	body: Record<string, unknown>;
	/** The events that the store puts into the body when it takes the callback: these types, from a number on. */
	held?: HeldEvents;
}

/** Events that were not sent one by one: from this `emission_sequence` on, of these types. */
export interface HeldEvents {
	from: number;
	types: readonly string[];
}

/** How callbacks to a URL prove their sender, if a target still says so. */
export function authenticationFor(
	{ humanInputWebhook, webhooks }: CallbackTargets,
	{ kind, url }: Pick<DueCallback, 'kind' | 'url'>,
): CallbackAuthentication | undefined {
	const target =
		kind === 'stream' ? webhooks : kind === 'human_input' ? humanInputWebhook : undefined;
	return target?.url === url ? target.authentication : undefined;
}
