import { clearMisses, summaryLines, toMarkdown, type Report } from '../../../bench/src/report';
import type { Result } from '../../../bench/src/statistics';

const result = (change: Partial<Result> = {}): Result => ({
	row: 'kickoffs',
	what: '500 kickoffs',
	start: 'warm',
	unit: 'ms',
	target: { most: 0.6 },
	ours: { name: 'Crew', figures: [1197, 1180, 1249] },
	beside: { name: 'HTTP Request', figures: [1609, 1600, 1598] },
	seconds: 30,
	...change,
});

const report = (change: Partial<Report> = {}): Report => ({
	measuredAt: '2026-11-22T10:00:00.000Z',
	commit: 'commit 1a2b3c4',
	isQuick: false,
	seconds: 600,
	plannedSeconds: 1_200,
	versions: { 'n8n-nodes-crew': '0.1.0', n8n: '2.41.1' },
	machine: '2 × a processor',
	otherWork: [0.01, 0.03, 0.02],
	leftOut: [],
	results: [result()],
	...change,
});

const met = result({ row: 'met', target: { most: 0.8 } });
const untargeted = result({ row: 'untargeted', target: undefined });

it('begins with what was missed, and by how much', () => {
	const lines = summaryLines(report({ results: [met, result(), untargeted] }));

	expect(lines.slice(0, 2)).toEqual([
		'1 of 2 targets are met.',
		'MISSED: kickoffs (500 kickoffs), compared with HTTP Request: ratio 0.744 (0.738 to 0.782), target ≤ 0.6; Crew 1197 ms, HTTP Request 1600 ms',
	]);
	const text = toMarkdown(report());
	expect(text.indexOf('**MISSED**')).toBeLessThan(text.indexOf('| Row'));
});

it('has a line for each row, with the medians and ranges', () => {
	const text = toMarkdown(report({ results: [met, result(), untargeted] }));

	const cells = text
		.split('\n')
		.filter((line) => line.startsWith('| `'))
		.map((line) => line.split('|').map((cell) => cell.trim()));
	const figures = ['1197 ms (1180 to 1249)', '1600 ms (1598 to 1609)', ''];
	const line = (name: string, target: string, verdict: string) => [
		'',
		`\`${name}\``,
		'500 kickoffs',
		'warm',
		'HTTP Request',
		'0.744 (0.738 to 0.782)',
		target,
		verdict,
		...figures,
	];
	expect(cells).toEqual([
		line('met', '≤ 0.8', 'met'),
		line('kickoffs', '≤ 0.6', '**MISSED** (3 of 3 pairs)'),
		line('untargeted', '', ''),
	]);
});

it('names the commit and the date of the figures', () => {
	expect(toMarkdown(report())).toContain('on 2026-11-22, commit 1a2b3c4;');
});

it('reports other work on the machine, and warns if there was much', () => {
	const quiet = summaryLines(report()).join('\n');
	const busy = summaryLines(report({ otherWork: [0.4, 0.9, 0.5] })).join('\n');

	expect(quiet).toContain('other work took 2 % of the processors (median; at most 3 %).');
	expect(quiet).not.toContain('rough');
	expect(busy).toContain('50 % of the processors (median; at most 90 %)');
	expect(busy).toContain('rough');
});

it('names what a quick run misses by too much to be noise', () => {
	const far = result({ row: 'far', target: { most: 0.1 } });
	const results = [far, result()];

	expect(summaryLines(report({ isQuick: true, results }))).toContain('Too much to be noise: far');
	expect(summaryLines(report({ results })).join('\n')).not.toContain('noise');
});

it('on a busy machine, only a count can be missed by too much to be noise', () => {
	const far = result({ row: 'far', target: { most: 0.1 } });
	const count = result({ row: 'count', isCount: true });
	const missed = (otherWork: number[]) =>
		clearMisses(report({ results: [far, count, result()], otherWork })).map(({ row }) => row);

	expect(missed([0.01, 0.02, 0.9])).toEqual(['far', 'count']);
	expect(missed([0.3, 0.4, 0.01])).toEqual(['count']);
});
