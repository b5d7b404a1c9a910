import { WAIT_INDEFINITELY, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { asText } from '../model/json';

const show = { operation: ['kickoff', 'resume'] };
const waits = { wait: ['callback', 'polling'] };
/** Shows an option, whose name stands below `options`, only where something is waited for. */
export const whenWaiting = { show: { '/wait': waits.wait } };
const whenParking = { show: { '/wait': ['callback'] } };

const waitOptions = {
	no: { name: 'No', value: 'no', description: 'Go on at once' },
	callback: {
		name: 'Until the Crew Calls Back',
		value: 'callback',
		description:
			'Park the execution until the crew has ended or asks a person. Costs nothing meanwhile. The crew must be able to reach this n8n.',
	},
	polling: {
		name: 'By Polling',
		value: 'polling',
		description:
			'Ask for the status again and again. For an n8n that the crew cannot reach. Holds the execution open.',
	},
};

const limitFields: INodeProperties[] = [
	{
		displayName: 'Limit Wait Time',
		name: 'limitWaitTime',
		type: 'boolean',
		default: true,
		description:
			'Whether to go on after some time, with the status timed_out, when the crew has not ended by then',
	},
	{
		displayName: 'Amount',
		name: 'resumeAmount',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 1,
		description: 'The longest time to wait',
	},
	{
		displayName: 'Unit',
		name: 'resumeUnit',
		type: 'options',
		default: 'hours',
		description: 'The unit of the longest time to wait',
		options: [
			{ name: 'Seconds', value: 'seconds' },
			{ name: 'Minutes', value: 'minutes' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Days', value: 'days' },
		],
	},
];

/** Whether and how long to wait for an execution's end. */
export const waitFields: INodeProperties[] = [
	{
		displayName: 'Wait for the Crew',
		name: 'wait',
		type: 'options',
		default: 'no',
		description: 'Whether to go on only when the crew has ended or asks a person',
		displayOptions: { show },
		options: [waitOptions.no, waitOptions.callback, waitOptions.polling],
	},
	{
		displayName: 'Wait for the Crew',
		name: 'wait',
		type: 'options',
		default: 'no',
		description: 'Whether to go on only when the crew has ended or asks a person',
		displayOptions: { show: { operation: ['getStatus'] } },
		options: [waitOptions.no, waitOptions.polling],
	},
	...limitFields.map((field) => ({
		...field,
		displayOptions: {
			show: {
				operation: [...show.operation, 'getStatus'],
				...waits,
				...(field.name === 'limitWaitTime' ? {} : { limitWaitTime: [true] }),
			},
		},
	})),
];

/** Options for waiting by polling. */
export const pollingOptions: INodeProperties[] = [
	{
		displayName: 'Poll Interval (Seconds)',
		name: 'pollInterval',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 5,
		description:
			'How long to wait between two questions for the status when polling. Grows up to 30 seconds by itself.',
		displayOptions: whenWaiting,
	},
	{
		displayName: 'Stop on Cancel',
		name: 'stopOnCancel',
		type: 'boolean',
		default: false,
		description:
			'Whether to stop the crew when this n8n execution is cancelled while it polls. A parked execution is not told that it was cancelled, so its crew goes on.',
		displayOptions: whenWaiting,
	},
];

/** Options for waiting by callback. */
export const parkingOptions: INodeProperties[] = [
	{
		displayName: 'Failure Events',
		name: 'failureEvents',
		type: 'boolean',
		default: true,
		description:
			'Whether to subscribe to the event stream too when waiting for a callback, so that a failed crew ends the wait. Switch off for deployments without an event stream.',
		displayOptions: whenParking,
	},
	{
		displayName: 'Short Look (Seconds)',
		name: 'lookTime',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 30 },
		default: 3,
		description:
			'Seconds after the start at which to ask whether the crew has ended already, for quick crews. With several items the execution is parked only then.',
		displayOptions: whenParking,
	},
];

export interface WaitSettings {
	/** What cannot be parked, such as an AI agent's tool call, is polled. */
	mode: (typeof MODES)[number];
	/** When to go on without the crew. */
	deadline: Date;
	/** Milliseconds. */
	pollInterval: number;
	/** Milliseconds. */
	lookTime: number;
	failureEvents: boolean;
	stopOnCancel: boolean;
}

const MODES = ['no', 'callback', 'polling'] as const;

const MILLISECONDS = new Map<unknown, number>([
	['seconds', 1_000],
	['minutes', 60_000],
	['hours', 3_600_000],
	['days', 86_400_000],
]);

/**
 * Reads the settings for waiting; they are the first item's for all.
 *
 * @param canPark whether the crew is told whom to call; otherwise `callback` is `polling`
 */
export function readWait(context: IExecuteFunctions, canPark: boolean): WaitSettings {
	const read = <T>(name: string, fallback: T): T =>
		context.getNodeParameter(name, 0, fallback) as T;
	const seconds = (name: string, fallback: number, least: number) => {
		const value = Number(read<unknown>(`options.${name}`, fallback));
		return 1000 * (value >= least ? value : fallback);
	};
	const chosen = MODES.find((mode) => mode === read<unknown>('wait', 'no')) ?? 'no';
	const isPolling = chosen === 'callback' && (!canPark || isTool(context));
	return {
		mode: isPolling ? 'polling' : chosen,
		deadline: read<boolean>('limitWaitTime', true)
			? after(limit(read<unknown>('resumeAmount', 1), read<unknown>('resumeUnit', 'hours')))
			: WAIT_INDEFINITELY,
		pollInterval: seconds('pollInterval', 5, 0.05),
		lookTime: Math.min(30_000, seconds('lookTime', 3, 0)),
		failureEvents: read('options.failureEvents', true),
		stopOnCancel: read('options.stopOnCancel', false),
	};
}

/** No later than n8n's own end of time: a date beyond what a date can hold is none. */
function after(milliseconds: number): Date {
	return new Date(Math.min(Date.now() + milliseconds, WAIT_INDEFINITELY.getTime()));
}

/** Milliseconds. */
function limit(amount: unknown, unit: unknown): number {
	// An expression that gives nothing, or nothing but space, does not mean zero.
	const text = asText(amount)?.trim() ?? '';
	const value = text === '' ? NaN : Number(text);
	return (value >= 0 ? value : 1) * (MILLISECONDS.get(unit) ?? 3_600_000);
}

/** Whether an AI agent calls the node; older versions of n8n tell it by the node's type alone. */
export function isTool(context: IExecuteFunctions): boolean {
	const asTool: Partial<Pick<IExecuteFunctions, 'isToolExecution'>> = context;
	return context.getNode().type.endsWith('Tool') || asTool.isToolExecution?.() === true;
}
