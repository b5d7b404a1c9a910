import { firstText } from './json';

/** What came of a resume. */
export type ResumeStatus = 'resumed' | 'retrying' | 'completed' | 'unknown';

/** Reads the answer of `POST /resume`: `{status, message}`. */
export function readResume(body: unknown): { status: ResumeStatus; message?: string } {
	const word = firstText(body, 'status', 'state')?.trim().toLowerCase();
	const status = (['resumed', 'retrying', 'completed'] as const).find((known) => known === word);
	return { status: status ?? 'unknown', message: firstText(body, 'message', 'detail') };
}
