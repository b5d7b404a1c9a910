import type { Row } from '../row';
import { crewaiRows } from './crewai';
import { databaseRows } from './database';
import { kickoffsRows } from './kickoffs';
import { packageRows } from './package';
import { triggerRows } from './trigger';
import { waitingRows } from './waiting';

/** All rows, in the table's order. */
export const rows: readonly Row[] = [
	...kickoffsRows,
	...waitingRows,
	...triggerRows,
	...packageRows,
	...crewaiRows,
	...databaseRows,
];
