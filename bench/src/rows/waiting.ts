import { limit, type Row } from '../row';
import * as heap from '../sides/heap';
import * as join from '../sides/join';
import { peakOfHttpRequest, peakOfJoin } from '../sides/kickoffs';
import * as resume from '../sides/resume';
import * as waitCpu from '../sides/waitCpu';

const JOIN: Omit<Row, 'name' | 'size'> = {
	what: (size) => `status requests to join ${size} crews`,
	unit: 'requests',
	start: 'warm',
	ours: join.join,
	beside: join.bound,
	target: { most: 1 },
	isCount: true,
};

/** What waiting costs, and how much memory items take. */
export const waitingRows: readonly Row[] = [
	{
		name: 'resume',
		what: () => 'from the end of the crew to the next node, crew answers after 20 ms',
		unit: 'ms',
		start: 'warm',
		ours: resume.crew,
		beside: resume.wait,
		target: { most: 1.15 },
		size: 6,
		quick: { size: 3, repetitions: 2 },
	},
	{
		name: 'wait-cpu',
		what: (size) =>
			`n8n’s CPU time for one of ${size} executions that wait and are ended by a call`,
		unit: 'ms',
		start: 'warm',
		ours: waitCpu.crew,
		beside: waitCpu.wait,
		target: { most: 1.15 },
		size: 10,
	},
	{
		name: 'join',
		...JOIN,
		size: 100,
		quick: { size: 10 },
	},
	{
		name: 'join-many',
		...JOIN,
		size: 500,
	},
	{
		name: 'heap-per-item',
		what: (size) => `heap per item of ${size} kickoffs, beyond the items themselves`,
		unit: 'kB',
		start: 'warm',
		ours: heap.crew,
		beside: limit(() => 3),
		target: { most: 1 },
		size: 500,
	},
	{
		name: 'join-memory',
		what: (size) => `n8n’s memory at its peak during ${size} kickoffs`,
		unit: 'MB',
		start: 'cold',
		ours: peakOfJoin,
		beside: peakOfHttpRequest,
		target: { most: 1 },
		size: 10_000,
		repetitions: 1,
		startsApart: true,
	},
];
