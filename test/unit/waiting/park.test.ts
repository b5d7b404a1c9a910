import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { park, readParkedWait, type ParkedWait } from '../../../nodes/Crew/waiting/park';

const WAIT: ParkedWait = {
	waitId: 'w',
	kickoffIds: ['id-0'],
	answered: [null],
	since: 0,
	maxParallel: 1,
	isSimple: true,
};

/** The three things that park uses of n8n. */
function contextWith(input: INodeExecutionData[]) {
	const nodeContext: IDataObject = {};
	const putExecutionToWait = jest.fn();
	const context = {
		getInputData: () => input,
		getContext: () => nodeContext,
		putExecutionToWait,
	} as unknown as IExecuteFunctions;
	return { context, nodeContext, putExecutionToWait };
}

describe('park', () => {
	it('leaves as input what is to go on when the time is up, and nothing of what came in', async () => {
		const binary = { file: { data: '', mimeType: 'text/plain' } };
		const error = new Error('of the node before') as INodeExecutionData['error'];
		const input: INodeExecutionData[] = [{ json: { n: 0 }, binary, error, pairedItem: 0 }];
		const { context } = contextWith(input);
		await park(context, [{ json: { status: 'timed_out' } }], WAIT, new Date(7));
		expect(JSON.parse(JSON.stringify(input))).toEqual([
			{ json: { status: 'timed_out' }, pairedItem: 0 },
		]);
	});

	it('keeps the record of the wait as n8n can store it, and parks until the given time', async () => {
		const { context, nodeContext, putExecutionToWait } = contextWith([{ json: {} }]);
		await park(context, [{ json: {} }], WAIT, new Date(7));
		expect(readParkedWait(JSON.parse(JSON.stringify(nodeContext)))).toEqual(WAIT);
		expect(putExecutionToWait).toHaveBeenCalledWith(new Date(7));
	});
});

describe('the record of a wait', () => {
	it.each([undefined, null, 'text', {}, { parkedWait: 7 }, { parkedWait: { kickoffIds: 'id' } }])(
		'is none in %j',
		(value) => {
			expect(readParkedWait(value)).toBeUndefined();
		},
	);
});
