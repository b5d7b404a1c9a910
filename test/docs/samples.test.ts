import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import nock from 'nock';
import { repositoryFolder } from '../../sandbox/src/paths';
import { markdownFiles, readText } from './support/markdown';
import { makeSamples, type Sample } from './support/sampleRuns';
import { makeSteady } from './support/steady';

/**
 * Samples in the documentation come from runs: `<!-- sample: kickoff.out -->` precedes each. `npm run samples` rewrites
 * them.
 */
const SAMPLE = /<!-- sample: ([\w-]+)\.(in|out) -->\n\n```json\n([\s\S]*?)```/g;

const isRewriting = process.env.npm_lifecycle_event === 'samples';
const pages = markdownFiles.filter((file) => readText(file).search(SAMPLE) >= 0);

let samples: Record<string, Sample>;

beforeAll(async () => {
	nock.enableNetConnect('127.0.0.1');
	samples = makeSteady(await makeSamples());
	if (isRewriting) for (const page of pages) await rewrite(page);
});

test.each(pages)('the samples in %s are the real output', (page) => {
	for (const [, name = '', side, text = ''] of readText(page).matchAll(SAMPLE)) {
		// If this differs, run `npm run samples` and look at what has changed.
		const [shown, sample] = [JSON.parse(text) as unknown, samples[name]?.[side as keyof Sample]];
		expect({ [name]: shown }).toEqual({ [name]: sample });
		// The order of fields counts, too.
		expect(JSON.stringify(shown)).toBe(JSON.stringify(sample));
	}
});

test('every sample is shown', () => {
	const text = pages.map(readText).join('\n');
	const shown = new Set([...text.matchAll(SAMPLE)].map(([, name]) => name));
	expect(Object.keys(samples).filter((name) => !shown.has(name))).toEqual([]);
	expect(text.match(/<!-- sample:/g)).toHaveLength([...text.matchAll(SAMPLE)].length);
});

test('a simplified item has at most 10 fields, the useful ones first', () => {
	const ours = Object.entries(samples).filter(([name]) => !name.startsWith('event-'));
	for (const [name, { out }] of ours) {
		expect([name, Object.keys(out as object).length <= 10]).toEqual([name, true]);
	}
	expect(Object.keys(samples['kickoff-completed']?.out as object).slice(0, 3)).toEqual([
		'kickoff_id',
		'status',
		'output',
	]);
});

async function rewrite(page: string): Promise<void> {
	const text = readText(page).replaceAll(SAMPLE, (_all, name: string, side: keyof Sample) => {
		const json = JSON.stringify(samples[name]?.[side], null, 2);
		return `<!-- sample: ${name}.${side} -->\n\n\`\`\`json\n${json}\n\`\`\``;
	});
	await writeFile(join(repositoryFolder, page), text);
	await execa('prettier', ['--write', page], { cwd: repositoryFolder, preferLocal: true });
}
