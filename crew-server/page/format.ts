import type { Status, TaskView } from './wire';

export const STATUS_WORDS: Record<Status | 'queued', string> = {
	queued: 'Queued',
	running: 'Running',
	pending_human_input: 'Asks a person',
	completed: 'Completed',
	failed: 'Failed',
	stopped: 'Stopped',
};

export const TASK_WORDS: Record<TaskView['state'], string> = {
	waiting: 'Waiting',
	running: 'Running',
	pending_human_input: 'Asks a person',
	answered: 'Answered',
	completed: 'Completed',
	failed: 'Failed',
};

/** `1.4 s`, `2 min 5 s`, `3 h 10 min` */
export function duration(milliseconds: number): string {
	const ms = Math.max(0, milliseconds);
	if (ms < 1_000) return `${Math.round(ms)} ms`;
	if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
	const seconds = Math.round(ms / 1_000);
	if (seconds < 60) return `${seconds} s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
	const hours = Math.floor(minutes / 60);
	if (hours < 24) return `${hours} h ${minutes % 60} min`;
	return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const DAY = 24 * 60 * 60 * 1_000;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const exactly = new Intl.DateTimeFormat(undefined, {
	hour: 'numeric',
	minute: '2-digit',
	second: '2-digit',
	fractionalSecondDigits: 3,
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** Only the time for today, otherwise with the day. */
export function moment(at: number, now = Date.now()): string {
	const isToday = now - at < DAY && new Date(at).getDate() === new Date(now).getDate();
	return isToday ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

export function time(at: number): string {
	return exactly.format(at);
}

export function wholeMoment(at: number): string {
	return whole.format(at);
}

const integers = new Intl.NumberFormat();

export function count(number: number): string {
	return integers.format(number);
}

export function plural(number: number, one: string, many = `${one}s`): string {
	return `${count(number)} ${number === 1 ? one : many}`;
}
