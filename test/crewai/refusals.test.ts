import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { copyProject, deploy, python, writeFiles, type ProjectCopy } from './support/deployment';
import { findInterpreters } from './support/environments';
import { startScriptedModel } from './support/scriptedModel';

const CREW = `from crewai import Agent, Crew, Task
from crewai.project import CrewBase, agent, crew, task
`;

/** A module with a crew, as far as can be seen without running it. */
const BUILT = `${CREW}
@CrewBase
class One:
    @crew
    def crew(self): ...
`;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'crew-refused-'));
});
afterEach(() => {
	rmSync(folder, { recursive: true });
});

function write(files: Record<string, string>): void {
	writeFiles(folder, files);
}

const start = async (project: Parameters<typeof startCrewServer>[0] = {}) =>
	await startCrewServer({ crew: folder, project: { python }, ...project });

it('says which command to run if the Python has no CrewAI', async () => {
	const [interpreter] = await findInterpreters();
	const bare = { python: interpreter?.path };
	write({ 'crew.py': CREW });
	await expect(start({ project: bare })).rejects.toThrow(
		/There is no CrewAI in .*: type `uv sync` or `crewai install` in .*crew-refused/,
	);
});

it('says which command to run if CrewAI is too old', async () => {
	// Its version is read before anything of it is imported.
	write({
		'crew.py': CREW,
		'crewai-1.15.1.dist-info/METADATA': 'Metadata-Version: 2.1\nName: crewai\nVersion: 1.15.1\n',
	});
	await expect(start()).rejects.toThrow(
		/CrewAI 1\.15\.1 in .* is too old: the oldest that works is 1\.15\.2\. Type `uv add 'crewai>=1\.15\.2'`/,
	);
});

it('says that Python is too old', async () => {
	const old = join(folder, 'old-python');
	const start39 = `import runpy, sys; sys.version_info = (3, 9, 0); runpy.run_path(sys.argv[1], run_name="__main__")`;
	writeFileSync(old, `#!/bin/sh\nexec ${python} -c '${start39}' "$@"\n`, { mode: 0o755 });
	write({ 'crew.py': CREW });
	await expect(start({ project: { python: old } })).rejects.toThrow(
		/The Python .* is too old for CrewAI: it needs 3\.10 to 3\.13\. Make an environment/,
	);
});

it('says why CrewAI itself cannot be imported', async () => {
	const library = join(folder, 'chromadb', '__init__.py');
	write({ 'crew.py': BUILT, 'chromadb/__init__.py': 'raise RuntimeError("needs a newer SQLite")' });
	await expect(start()).rejects.toThrow(
		`cannot be imported: RuntimeError: needs a newer SQLite (${library}:1)\nRepair it there`,
	);
});

it.each([
	['import os; os._exit(3)', 'with exit code 3'],
	['import ctypes; ctypes.string_at(0)', 'by SIGSEGV'],
])('says how Python ended during the import: %s', async (code, how) => {
	write({ 'crew.py': `${BUILT}\n${code}\n` });
	await expect(start()).rejects.toThrow(
		`Python ended meanwhile, ${how}. To see why, import it yourself, with ${python}.`,
	);
});

it.each(['nothing.txt', 'crew.py'])('says that there is no crew: %s', async (file) => {
	write({ [file]: '' });
	await expect(start()).rejects.toThrow(
		`There is no crew in ${folder}: expected src/<package>/crew.py`,
	);
});

it('says that a module that looks like a crew has none', async () => {
	write({ 'src/one/crew.py': `${CREW}\nWHAT = CrewBase\n` });
	await expect(start()).rejects.toThrow(
		`There is no crew in ${join(folder, 'src/one/crew.py')}: expected a @CrewBase class, another class`,
	);
});

it('says that there is no flow', async () => {
	write({ 'pyproject.toml': '[tool.crewai]\ntype = "flow"\n' });
	await expect(start()).rejects.toThrow(
		`There is no flow in ${folder}: expected src/<package>/main.py with a Flow class`,
	);
	rmSync(join(folder, 'pyproject.toml'));
	write({ 'src/one/main.py': FLOWS });
	// A base class of other flows is not one to run.
	await expect(start()).rejects.toThrow(
		`There are several flows in ${folder}: One, Two. Choose one with --crew <name>.`,
	);
	write({ 'flow.yaml': 'methods: {}\n', 'src/one/main.py': '' });
	await expect(start()).rejects.toThrow(`${join(folder, 'flow.yaml')} cannot be read: `);
});

const FLOWS = `from crewai.flow import Flow
class Base(Flow):
    pass
class One(Base):
    pass
class Two(Base):
    pass
`;

it.each([
	[
		'a module that is missing',
		'import no_such_library\n',
		[':3: ModuleNotFoundError', 'no_such_library`'],
	],
	['a mistake', 'nothing + 1\n', [":3: NameError: name 'nothing' is not defined"]],
	['a syntax that is none', 'class CrewBase(:\n', [':3: SyntaxError']],
	['an end', 'CrewBase\nraise SystemExit(5)\n', [':4: it called sys.exit(5)']],
	['a question', 'input()\n', [':3: EOFError: It waits for an answer at a terminal']],
	[
		'a variable that is not set',
		'import os\nos.environ["NO_SUCH_KEY"]\n',
		[":4: KeyError: 'NO_SUCH_KEY'", 'set NO_SUCH_KEY in the environment or in'],
	],
	[
		'what is made of a variable that is not set',
		'import os\nmodel = "gemini/" + os.getenv("NO_SUCH_MODEL")\n',
		[':4: TypeError', 'set NO_SUCH_MODEL in the environment or in'],
	],
	['another version', 'from crewai import NoSuch\n', [':3: ImportError', 'of crewai than 1.15.']],
])('shows file and line of %s', async (_what, text, parts) => {
	write({ 'src/one/crew.py': `${CREW}${text}\nCrewBase\n` });
	const error = await start().then(
		() => undefined,
		(why: unknown) => (why as Error).message,
	);
	expect(error).toContain(`The project cannot be imported: ${join(folder, 'src/one/crew.py')}`);
	for (const part of parts) expect(error).toContain(part);
});

it('shows file and line of work that another module starts', async () => {
	write({
		'src/one/crew.py': `import other\n${CREW}\nCrewBase\n`,
		'src/one/other.py': `${CREW}try:\n    Crew.kickoff(1)\nexcept Exception:\n    pass\n`,
	});
	await expect(start()).rejects.toThrow(
		/other\.py:\d: it starts its work as soon as it is imported. Put that under `if __name__ == "__main__":`/,
	);
});

it('shows file and line if the crew cannot be built', async () => {
	const body = '    @crew\n    def crew(self) -> Crew:\n        raise ValueError("no such oven")\n';
	write({ 'src/one/crew.py': `${CREW}\n@CrewBase\nclass One:\n${body}` });
	await expect(start()).rejects.toThrow(
		`cannot be built: ${join(folder, 'src/one/crew.py')}:8: ValueError: no such oven`,
	);
});

it('names several crews, and one that is not among them', async () => {
	let copy: ProjectCopy | undefined;
	try {
		copy = copyProject('several', {});
		await expect(start({ crew: copy.folder })).rejects.toThrow(
			'Asking, Noting. Choose one with --crew <name>.',
		);
		await expect(
			start({ crew: copy.folder, project: { python, crewName: 'Other' } }),
		).rejects.toThrow('There is no crew Other');
	} finally {
		copy?.remove();
	}
});

it("warns if there is no key for the model, and fails with CrewAI's own text", async () => {
	const model = await startScriptedModel();
	const deployment = await deploy('tea_guide', model, {}, { OPENAI_API_KEY: '' });
	expect(deployment.crew.crew.warnings).toEqual([
		expect.stringContaining(
			'There is no key for the model gpt-4o-mini: set OPENAI_API_KEY',
		) as string,
	]);
	expect(await deployment.run({ topic: 'Tea', audience: 'all' })).toMatchObject({
		status: 'error',
		error: expect.stringContaining('OPENAI_API_KEY') as string,
	});
	await deployment.close();
	await model.close();
});

it('shows no part of a key that the model refuses', async () => {
	const model = await startScriptedModel();
	const key = 'wrong-key-abcdefgh-1234';
	const deployment = await deploy('tea_guide', model, {}, { OPENAI_API_KEY: key });
	const { error } = await deployment.run({ topic: 'Tea', audience: 'all' });
	expect(error).toContain('Incorrect API key provided: [secret]');
	expect(error).not.toContain(key.slice(-4));
	await deployment.close();
	await model.close();
});
