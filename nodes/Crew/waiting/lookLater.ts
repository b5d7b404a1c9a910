import type { IWebhookFunctions } from 'n8n-workflow';
import { pause } from '../api/pause';
import type { ParkedWait } from './park';
import { readResumeUrl } from './resumeUrl';
import type { WaitMemory } from './waitMemory';
import { wakeUpOnce } from './wakeUp';

/**
 * Looks at the crews once no callback has come for `quiet` milliseconds. What one process of n8n was
 * told another does not know, and the status that it asks for may lag behind: without another
 * callback nobody would notice that all have ended.
 */
export function lookLater(
	context: IWebhookFunctions,
	{ waitId }: ParkedWait,
	memory: WaitMemory,
	quiet: number,
): void {
	memory.lookAt = Date.now() + quiet;
	if (memory.isLooking) return;
	memory.isLooking = true;
	void lookWhenQuiet(context, readResumeUrl(context), waitId, memory).then(() => {
		memory.isLooking = false;
	});
}

async function lookWhenQuiet(
	context: IWebhookFunctions,
	resumeUrl: string,
	waitId: string,
	memory: WaitMemory,
): Promise<void> {
	let due: number;
	do {
		due = memory.lookAt;
		await pause(Math.max(0, due - Date.now()));
		if (memory.lookAt === due) await wakeUpOnce(context, { resumeUrl, waitId });
	} while (memory.lookAt > due);
}
