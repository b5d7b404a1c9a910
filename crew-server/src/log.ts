import { pino, type Logger } from 'pino';

/** Takes one line an event; facts of an execution beyond its state belong to the level `debug`. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>;

export const LOG_FORMATS = ['text', 'json'] as const;
export const LOG_LEVELS = ['info', 'debug'] as const;

export interface LogSettings {
	format: (typeof LOG_FORMATS)[number];
	level: (typeof LOG_LEVELS)[number];
	/** Values that no line may have, beside those of variables whose names say that they are secret. */
	secrets: readonly string[];
}

/** Says nothing. */
export const noLog: Log = pino({ level: 'silent' });

/** Writes to standard output. */
export function openLog({ format, level, secrets }: LogSettings): Log {
	const hide = hiding([...secrets, ...secretsOf(process.env)]);
	const write = (line: string) => {
		const safe = hide(line);
		process.stdout.write(format === 'json' ? safe : asText(safe));
	};
	const formatters = {
		level: (label: string) => ({ level: label }),
		log: (facts: object) => withoutSecretFields(facts) as Record<string, unknown>,
	};
	const options = { level, base: null, formatters };
	return pino(options, { write });
}

const SECRET_NAME = /key|token|secret|password/i;

/** Shorter values are parts of too many words to be secrets. */
const SHORTEST_SECRET = 6;

function secretsOf(env: NodeJS.ProcessEnv): string[] {
	return Object.entries(env)
		.filter(([name, value = '']) => SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET)
		.map(([, value = '']) => value);
}

/** The same without the texts of fields whose names say that they are secret. */
function withoutSecretFields(value: unknown): unknown {
	if (typeof value === 'string') return withoutSecretsInJson(value);
	if (Array.isArray(value)) return value.map(withoutSecretFields);
	if (typeof value !== 'object' || value === null || value instanceof Error) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [
			name,
			typeof one === 'string' && SECRET_NAME.test(name) ? '[secret]' : withoutSecretFields(one),
		]),
	);
}

/** A tool's arguments, say, are a text of JSON. */
function withoutSecretsInJson(text: string): string {
	if (!/^\s*[[{]/.test(text)) return text;
	try {
		return JSON.stringify(withoutSecretFields(JSON.parse(text)));
	} catch {
		return text;
	}
}

/** A key of a shape that providers use. */
const KNOWN_KEY = /(?<![\w-])(?:sk|pk|rk|gsk|xai)-[\w-]{16,}/g;

function hiding(values: readonly string[]): (line: string) => string {
	// As JSON has them, and the longer ones first: they may hold shorter ones.
	const written = values
		.map((value) => JSON.stringify(value).slice(1, -1))
		.sort((one, other) => other.length - one.length);
	return (line) =>
		written
			.reduce((text, value) => text.replaceAll(value, '[secret]'), line)
			.replace(KNOWN_KEY, '[secret]');
}

/** `22:04:01 info  task_started kickoff_id=… task_id=write_draft` */
function asText(line: string): string {
	const { time, level, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
	const shown = Object.entries(facts).map(([name, value]) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return `${name}=${text.replaceAll('\n', '\\n')}`;
	});
	const clock = new Date(Number(time)).toTimeString().slice(0, 8);
	return `${[clock, String(level).padEnd(5), msg, ...shown].join(' ')}\n`;
}
