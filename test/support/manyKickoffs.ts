import { OPERATIONS } from './crewOperations';
import type { CrewNode } from './engine';

/** A kickoff of each item, with these options. */
export const kickoff = (
	options: Partial<Record<string, number | boolean>> = {},
	settings: CrewNode['settings'] = {},
): CrewNode => ({
	parameters: { ...OPERATIONS.kickoff, options: { n8nMeta: false, ...options } },
	settings,
});

export const itemsFrom = (length: number) =>
	Array.from({ length }, (_, n) => ({ inputs: { topic: `Bees ${n}` } }));
