import { hasUntold, type Told } from '../domain/execution';
import { command, type Services } from './commands';

/** Keeps that a client is told what is asked: from then on, an approval that is alike another one answers that. */
export async function tellQuestions(services: Services, execution: Told): Promise<void> {
	if (!hasUntold(execution)) return;
	const { kickoffId, owner } = execution;
	try {
		await command(services, { kickoffId, owner }, () => ({ type: 'told' }));
	} catch (error) {
		// The status can be read nevertheless.
		services.log.debug({ kickoff_id: kickoffId, err: error }, 'question_not_marked_as_read');
	}
}
