import type { CallbackTargets } from '../domain/targets';
import type { Aspects } from './aspects';

/**
 * The targets among other fields of a body that the deployment calls; a new object that holds nothing else. A question
 * is sent once, and rather to a target that asks for a proof of its sender, unless the deployment sends it to both or
 * never so.
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
