import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { fingerprintOf } from '../../crew-server/src/fingerprint';

let folder: string;
let project: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'crew-fingerprint-'));
	project = join(folder, 'project');
	write('src/tea/crew.py', 'crew = 1');
	write('src/tea/config/tasks.yaml', 'brew: {}');
	write('uv.lock', '1');
});
afterEach(() => {
	rmSync(folder, { recursive: true });
});

function write(path: string, content: string): void {
	mkdirSync(dirname(join(project, path)), { recursive: true });
	writeFileSync(join(project, path), content);
}

it('is the same for a copy of a project elsewhere, with other tools and results next to it', () => {
	const before = fingerprintOf(project);
	const copy = join(folder, 'copy');
	cpSync(project, copy, { recursive: true });
	project = copy;
	write('.venv/lib/a.py', 'a');
	write('environment/pyvenv.cfg', 'home = /usr');
	write('environment/lib/a.py', 'a');
	write('src/tea/__pycache__/crew.py', 'a');
	write('output/report.yaml', 'a');
	write('report.md', 'a');
	write('.env', 'KEY=a');
	expect(fingerprintOf(copy)).toBe(before);
});

it.each([
	['a file has changed', 'src/tea/crew.py', 'crew = 2'],
	['there is one more', 'src/tea/tools.py', ''],
	['its packages have changed', 'uv.lock', '2'],
])('is different if %s', (_, path, content) => {
	const before = fingerprintOf(project);
	write(path, content);
	expect(fingerprintOf(project)).not.toBe(before);
});

it('is different if a file has changed that is a link, as in a volume of Kubernetes', () => {
	write('src/tea/config/..data/agents.yaml', 'taster: {}');
	symlinkSync('..data/agents.yaml', join(project, 'src/tea/config/agents.yaml'));
	// An editor's lock.
	symlinkSync('me@machine.1234', join(project, 'src/tea/.#crew.py'));
	const before = fingerprintOf(project);
	write('src/tea/config/..data/agents.yaml', 'brewer: {}');
	expect(fingerprintOf(project)).not.toBe(before);
});

it('is different for another crew of the project', () => {
	expect(fingerprintOf(project, 'one')).not.toBe(fingerprintOf(project, 'other'));
});
