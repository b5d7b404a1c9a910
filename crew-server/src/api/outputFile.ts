import { posix } from 'node:path';

import type { CrewDescription } from '../domain/crew';
import { fillTemplate, placeholdersOf, textsOf } from '../domain/template';
import { HttpError } from './httpError';

/** An input that moves a task's output file out of its folder. */
export interface StrayOutputFile {
	/** The input's name. */
	input: string;
	/** The path before it was filled in. */
	outputFile: string;
}

/** The first input that would make a task write outside the folder that its path names before any input. */
export function strayOutputFile(
	{ tasks }: CrewDescription,
	inputs: Readonly<Record<string, unknown>>,
): StrayOutputFile | undefined {
	const textOf = textsOf(inputs);
	for (const { outputFile } of tasks) {
		if (outputFile === undefined || !leadsOut(outputFile, fillTemplate(outputFile, textOf)))
			continue;
		const input = placeholdersOf(outputFile).find((name) => Object.hasOwn(inputs, name));
		if (input !== undefined) return { input, outputFile };
	}
	return undefined;
}

function leadsOut(template: string, filled: string): boolean {
	const folder = posix.dirname(`${template.split('{')[0] ?? ''}x`);
	if (filled.includes('\0') || (filled.startsWith('~') && !template.startsWith('~'))) return true;
	// Only an input can have made the path absolute: CrewAI accepts no absolute paths.
	if (posix.isAbsolute(filled) && !posix.isAbsolute(template)) return true;
	const inside = posix.relative(folder, posix.normalize(filled));
	return inside === '' || inside.split('/')[0] === '..';
}

/** @throws {HttpError} if an input moves an output file out of its folder */
export function refuseStrayOutputFile(
	crew: CrewDescription,
	inputs: Record<string, unknown>,
): void {
	const stray = strayOutputFile(crew, inputs);
	if (!stray) return;
	const message = `leads the output file ${stray.outputFile} out of its folder`;
	throw new HttpError(422, `The input ${stray.input} ${message}`, [
		{ path: ['body', 'inputs', stray.input], message, isMissing: false },
	]);
}
