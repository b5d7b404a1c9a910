import { openLog } from '../../crew-server/src/log';

afterEach(() => jest.restoreAllMocks());

/** What a log whose secrets include these writes. */
function written(secrets: string[], write: (log: ReturnType<typeof openLog>) => void): string {
	let text = '';
	const toOutput = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
		text += String(line);
		return true;
	});
	try {
		write(openLog({ format: 'json', level: 'info', secrets }, () => undefined));
	} finally {
		toOutput.mockRestore();
	}
	return text;
}

it('hides what is secret in texts and names, and leaves numbers as they are', () => {
	const facts = { limit: 128_000, said: 'It is 128000 or "quoted"', 'of 128000': [11_280_001] };
	const line = written(['128000', '"quoted"'], (log) => {
		log.info(facts, 'told');
	});
	expect(JSON.parse(line)).toMatchObject({
		limit: 128_000,
		said: 'It is [secret] or [secret]',
		'of [secret]': [11_280_001],
	});
});

it('hides keys and values of variables that are surely secret, but no words', () => {
	const env = { MY_API_KEY: 'ollama', SECRET_NAME: 'production', DB_TOKEN: 'plane-42' };
	jest.replaceProperty(process, 'env', { ...process.env, ...env });
	const said =
		'ollama in production with plane-42, sk-ab12cd34ef56gh78ij, sk-learn-for-all-beginners';
	const line = written([], (log) => {
		log.info({ said }, 'told');
	});
	expect(JSON.parse(line)).toMatchObject({
		said: 'ollama in production with [secret], [secret], sk-learn-for-all-beginners',
	});
});
