import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';

import { startCrewServer } from '../../crew-server/src';
import { repositoryFolder } from '../../sandbox/src/paths';
import { copyProject, python } from './support/deployment';

const env = {
	PYTHONPATH: join(repositoryFolder, 'crew-server', 'python'),
	CREWAI_DISABLE_TELEMETRY: 'true',
};

it('knows each internal name of CrewAI that it needs, and reports a missing one', async () => {
	const { stdout } = await execa(python, [join(__dirname, 'support', 'remove_seams.py')], { env });
	const told = stdout.split('\n').map((line) => JSON.parse(line) as Record<string, string>);
	expect(told.length).toBeGreaterThan(40);
	for (const { name = '', message } of told) {
		expect(message).toMatch(/^CrewAI 9\.9\.9 lacks what the crew server needs:\n- /);
		expect(message).toContain(`- ${name} (`);
		expect(message).toContain("type `uv add 'crewai>=1.15.2,<=");
	}
});

it('refuses a CrewAI that lacks one before it says that it is ready', async () => {
	const copy = copyProject('tea_guide', {});
	const site = mkdtempSync(join(tmpdir(), 'crew-site-'));
	// Python runs it before anything else.
	writeFileSync(
		join(site, 'sitecustomize.py'),
		'import crewai.crew\ndel crewai.crew.Crew._get_context\n',
	);
	const before = process.env['PYTHONPATH'];
	process.env['PYTHONPATH'] = site;
	try {
		await expect(startCrewServer({ crew: copy.folder, project: { python } })).rejects.toThrow(
			/CrewAI 1\.15\.\d+ lacks what the crew server needs:\n- Crew\._get_context \(crewai\.crew\), by which it adds/,
		);
	} finally {
		if (before === undefined) delete process.env['PYTHONPATH'];
		else process.env['PYTHONPATH'] = before;
		rmSync(site, { recursive: true });
		copy.remove();
	}
});
