import type { Row } from '../row';
import { growth } from './growth';
import { join } from './join';
import { kickoffs, slowKickoffs } from './kickoffs';
import { packageSize } from './package';
import { parkedExecutions } from './parked';
import { requests } from './requests';
import { resume } from './resume';
import { stream } from './stream';
import { triggerLoad } from './trigger';

/** All rows, in the table's order. */
export const rows: readonly Row[] = [
	kickoffs,
	slowKickoffs,
	growth,
	resume,
	requests,
	parkedExecutions,
	triggerLoad,
	stream,
	join,
	packageSize,
];
