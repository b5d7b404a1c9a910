import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';
import { toTable } from '../support/faults/page';
import { GUIDELINES } from './support/guidelines';
import { readText } from './support/markdown';

const PAGE = 'docs/reports/guidelines.md';
const PAGES = 'https://docs.n8n.io/integrations/creating-nodes/build/reference';
const DATE = /^\d{4}-\d\d-\d\d: /m;

const lines = [
	"# n8n's guidelines, point by point",
	`n8n verifies community nodes against its [verification guidelines](${PAGES}/verification-guidelines/) and [UX guidelines](${PAGES}/ux-guidelines/). "Gate" is n8n's own scanner, which \`npm run lint\` runs on the source and on the packed package.`,
	...GUIDELINES.flatMap(([heading, points]) => [
		`## ${heading}`,
		toTable(
			['Point', 'How it is met', 'Check'],
			points.map(({ point, how, check }) => [point, how, check]),
		),
	]),
];

/** `npm run samples` writes the page. */
beforeAll(() => {
	if (process.env.npm_lifecycle_event !== 'samples') return;
	const today = new Date().toISOString().slice(0, 10);
	const dated = [lines[0], `${today}: written by \`npm run samples\`.`, ...lines.slice(1)];
	writeFileSync(join(repositoryFolder, PAGE), `${dated.join('\n\n')}\n`);
});

test('the page about the guidelines is what is checked', () => {
	const page = readText(PAGE);
	expect(page).toMatch(DATE);
	const undated = page.split('\n\n').filter((part) => !DATE.test(part));
	expect(undated.join('\n\n').trim()).toBe(lines.join('\n\n'));
});

const files = GUIDELINES.flatMap(([, points]) =>
	points.flatMap(({ check }) => check.match(/test\/[\w./]+/g) ?? []),
);

test.each([...new Set(files)])('%s is there', (file) => {
	expect(existsSync(join(repositoryFolder, file))).toBe(true);
});
