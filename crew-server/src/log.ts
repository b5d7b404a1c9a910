import { pino, type Logger } from 'pino';

import type { StreamEvent } from './domain/execution';

/** Takes one line an event; facts of an execution beyond its state belong to the level `debug`. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>;

export const LOG_FORMATS = ['text', 'json'] as const;
export const LOG_LEVELS = ['info', 'debug'] as const;

export interface LogSettings {
	/** How lines are written to standard output. */
	format: (typeof LOG_FORMATS)[number];
	level: (typeof LOG_LEVELS)[number];
	/** Values that no line may have, beside those of variables whose names say that they are secret. */
	secrets: readonly string[];
}

/** Says nothing. */
export const noLog: Log = pino({ level: 'silent' });

/**
 * Opens the log; it writes only if it has a format.
 *
 * @param onLine takes the facts of each line, without secrets
 */
export function openLog(
	{ format, level = 'info', secrets }: Partial<LogSettings> & Pick<LogSettings, 'secrets'>,
	onLine: (facts: Record<string, unknown>) => void,
): Log {
	const hide = hiding([...secrets, ...secretsOf(process.env)]);
	const write = (line: string) => {
		const facts = JSON.parse(line, hide) as Record<string, unknown>;
		onLine(facts);
		if (format === undefined) return;
		process.stdout.write(format === 'json' ? `${JSON.stringify(facts)}\n` : asText(facts));
	};
	const formatters = {
		level: (label: string) => ({ level: label }),
		log: (facts: object) => withoutSecretFields(facts) as Record<string, unknown>,
	};
	const options = { level, base: null, formatters };
	return pino(options, { write });
}

/** What the crew and its tasks come to; all else is for those who look closely. */
const MAIN_EVENT = /^(crew|task|flow|human)_/;

/** Tells the log of events that the store has taken. */
export function logEvents(log: Log, events: readonly StreamEvent[]): void {
	for (const { execution_id, type, data } of events) {
		// Its line says why, which only the one that tells of it knows.
		if (type === 'crew_kickoff_failed') continue;
		const facts = {
			kickoff_id: execution_id,
			...(data['task_id'] === undefined ? {} : { task_id: data['task_id'] }),
			...(log.isLevelEnabled('debug') ? { data } : {}),
		};
		log[MAIN_EVENT.test(type) ? 'info' : 'debug'](facts, type);
	}
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

/** Hides values in texts and names, as `JSON.parse` goes through them. */
function hiding(values: readonly string[]): (name: string, value: unknown) => unknown {
	// The longer ones first: they may hold shorter ones.
	const secrets = [...values].sort((one, other) => other.length - one.length);
	const hide = (text: string) =>
		secrets
			.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
			.replace(KNOWN_KEY, '[secret]');
	return (_name, value) => {
		if (typeof value === 'string') return hide(value);
		// A limit such as MAX_TOKENS=128000 has the name of a secret: numbers are left as they are.
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), one]));
	};
}

/** `22:04:01 info  task_started kickoff_id=… task_id=write_draft` */
function asText({ time, level, msg, ...facts }: Record<string, unknown>): string {
	const shown = Object.entries(facts).map(([name, value]) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return `${name}=${text.replaceAll('\n', '\\n')}`;
	});
	const clock = new Date(Number(time)).toTimeString().slice(0, 8);
	return `${[clock, String(level).padEnd(5), msg, ...shown].join(' ')}\n`;
}
