import { pino, type Logger } from 'pino';

import { truncate } from './domain/excerpt';
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
		log: (facts: object) => shown(facts) as Record<string, unknown>,
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

const SECRET_NAME = /key|token|secret|passw|passphrase|credential|authoriz|cookie/i;

/** Short values, numbers and words such as `ollama` are parts of too many texts to be secrets. */
const SURELY_SECRET = /^(?=.*[a-z])(?=.*[^a-z]).{8,}$|^.{20,}$/is;

function secretsOf(env: NodeJS.ProcessEnv): string[] {
	return Object.entries(env)
		.filter(([name, value = '']) => SECRET_NAME.test(name) && SURELY_SECRET.test(value))
		.map(([, value = '']) => value);
}

/** Characters of one text, and values of all, that a line shows: more would hold up what else is done. */
const LONGEST_TEXT = 4_000;
const MOST_VALUES = 500;

/** The same without the texts of fields whose names say that they are secret, and not all of it if it is large. */
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

/** A tool's arguments, say, are a text of JSON. */
function shownText(text: string, room: { left: number }): string {
	const isJson = /^\s*[[{]/.test(text);
	if (text.length > LONGEST_TEXT) {
		// Of JSON that is cut, nobody could say what is secret.
		return truncate(text, isJson ? 0 : LONGEST_TEXT);
	}
	if (!isJson) return text;
	try {
		return JSON.stringify(shown(JSON.parse(text), false, room));
	} catch {
		return text;
	}
}

/** A key of a shape that providers use. One without a digit is words, such as the end of a page's address. */
const KNOWN_KEY = /(?<![\w-])(?:sk|pk|rk|gsk|xai)-(?=[a-z_-]*\d)[\w-]{16,}/gi;

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

/** `2026-11-25T22:04:01Z info  task_started kickoff_id=… task_id=write_draft` */
function asText({ time, level, msg, ...facts }: Record<string, unknown>): string {
	const shown = Object.entries(facts).map(([name, value]) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return `${name}=${text.replaceAll('\n', '\\n')}`;
	});
	const at = `${new Date(Number(time)).toISOString().slice(0, 19)}Z`;
	return `${[at, String(level).padEnd(5), msg, ...shown].join(' ')}\n`;
}
