import { pino, type Logger } from 'pino';

import { truncate } from './domain/excerpt';
import type { StreamEvent } from './domain/execution';

/** One line for each event. Facts about an execution beyond its state belong to the level `debug`. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>;

export const LOG_FORMATS = ['text', 'json'] as const;
export const LOG_LEVELS = ['info', 'debug'] as const;

export interface LogSettings {
	/** How lines are written to standard output. */
	format: (typeof LOG_FORMATS)[number];
	level: (typeof LOG_LEVELS)[number];
	/** Values that no line may contain, besides those of variables whose names say that they are secret. */
	secrets: readonly string[];
}

/** Writes nothing. */
export const noLog: Log = pino({ level: 'silent' });

/**
 * Opens the log, which writes only if it has a format.
 *
 * @param onLine is called with the fields of each line, without secrets
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
		log: (facts: object) => shown(facts) as Record<string, unknown>,
	};
	const options = { level, base: null, formatters };
	return pino(options, { write });
}

/** The main events of the crew and its tasks; all others are logged only at `debug`. */
const MAIN_EVENT = /^(crew|task|flow|human)_/;

/** Logs events that the store has taken. */
export function logEvents(log: Log, events: readonly StreamEvent[]): void {
	for (const { execution_id, type, data } of events) {
		// The engine logs this one, with the reason, which is not known here.
		if (type === 'crew_kickoff_failed') continue;
		const facts = {
			kickoff_id: execution_id,
			...(data['task_id'] === undefined ? {} : { task_id: data['task_id'] }),
			...(log.isLevelEnabled('debug') ? { data } : {}),
		};
		log[MAIN_EVENT.test(type) ? 'info' : 'debug'](facts, type);
	}
}

const SECRET_NAME = /key|token|secret|passw|passphrase|credential|authoriz|cookie/i;

/** Short values, numbers and words such as `ollama` are in too many texts to be hidden. */
const SURELY_SECRET = /^(?=.*[a-z])(?=.*[^a-z]).{8,}$|^.{20,}$/is;

function secretsOf(env: NodeJS.ProcessEnv): string[] {
	return Object.entries(env)
		.filter(([name, value = '']) => SECRET_NAME.test(name) && SURELY_SECRET.test(value))
		.map(([, value = '']) => value);
}

/** How many characters of a text and how many values a line shows: more would hold up other work. */
const LONGEST_TEXT = 4_000;
const MOST_VALUES = 500;

/** The same without the texts of fields whose names say that they are secret, and shortened if it is large. */
function shown(value: unknown, isSecret = false, room = { left: MOST_VALUES }): unknown {
	room.left -= 1;
	if (typeof value === 'string') return isSecret ? '[secret]' : shownText(value, room);
	if (typeof value !== 'object' || value === null || value instanceof Error) return value;
	if (Array.isArray(value)) {
		const first = value.slice(0, Math.max(0, room.left)).map((one) => shown(one, isSecret, room));
		return first.length < value.length ? [...first, `${value.length} in all`] : first;
	}
	const some = Object.create(null) as Record<string, unknown>;
	for (const name in value) {
		if (room.left <= 0) {
			some['…'] = 'and more';
			break;
		}
		const one = (value as Record<string, unknown>)[name];
		some[name] = shown(one, isSecret || SECRET_NAME.test(name), room);
	}
	return some;
}

/** A text can be JSON, e.g. a tool's arguments. */
function shownText(text: string, room: { left: number }): string {
	const isJson = /^\s*[[{]/.test(text);
	if (text.length > LONGEST_TEXT) {
		// In JSON that is cut off, secrets cannot be found.
		return truncate(text, isJson ? 0 : LONGEST_TEXT);
	}
	if (!isJson) return text;
	try {
		return JSON.stringify(shown(JSON.parse(text), false, room));
	} catch {
		return text;
	}
}

/** A key in the form of known providers. Without a digit, it is words, such as the end of a page's address. */
const KNOWN_KEY = /(?<![\w-])(?:sk|pk|rk|gsk|xai)-(?=[a-z_-]*\d)[\w-]{16,}/gi;

/** Hides values in texts and names, as `JSON.parse` goes through them. */
function hiding(values: readonly string[]): (name: string, value: unknown) => unknown {
	// The longer ones first: they may contain shorter ones.
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

/** `2026-11-25T22:04:01Z info  task_started kickoff_id=… task_id=write_draft` */
function asText({ time, level, msg, ...facts }: Record<string, unknown>): string {
	const shown = Object.entries(facts).map(([name, value]) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return `${name}=${text.replaceAll('\n', '\\n')}`;
	});
	const at = `${new Date(Number(time)).toISOString().slice(0, 19)}Z`;
	return `${[at, String(level).padEnd(5), msg, ...shown].join(' ')}\n`;
}
