import type { Row } from '../row';
import { crewaiFirstCall } from './crewaiFirstCall';
import { crewaiKickoff } from './crewaiKickoff';
import { crewaiKickoffs } from './crewaiKickoffs';
import { crewaiMemory } from './crewaiMemory';
import { crewaiResume } from './crewaiResume';
import { crewaiStart } from './crewaiStart';
import { crewServerPackages } from './crewServerPackages';
import { crewServerSize } from './crewServerSize';
import { fixedKickoffs } from './fixedKickoffs';
import { heapPerItem } from './heapPerItem';
import { join } from './join';
import { joinMany } from './joinMany';
import { joinMemory } from './joinMemory';
import { kickoffOne } from './kickoffOne';
import { kickoffsCold } from './kickoffsCold';
import { kickoffsFloor } from './kickoffsFloor';
import { kickoffsHttp } from './kickoffsHttp';
import { kickoffsLoop } from './kickoffsLoop';
import { kickoffsMaxParallel } from './kickoffsMaxParallel';
import { loadingEvolution } from './loadingEvolution';
import { loadingFirecrawl } from './loadingFirecrawl';
import { processorBoundKickoffs } from './processorBoundKickoffs';
import { refusedKickoffs } from './refusedKickoffs';
import { refusedKickoffsRequests } from './refusedKickoffsRequests';
import { resume } from './resume';
import { sizeEvolution } from './sizeEvolution';
import { sizeFirecrawl } from './sizeFirecrawl';
import { slowKickoffsCold } from './slowKickoffsCold';
import { slowKickoffsFloor } from './slowKickoffsFloor';
import { slowKickoffsHttp } from './slowKickoffsHttp';
import { slowestKickoffsCold } from './slowestKickoffsCold';
import { slowestKickoffsHttp } from './slowestKickoffsHttp';
import { stream } from './stream';
import { streamGrowth } from './streamGrowth';
import { timePerItem } from './timePerItem';
import { trigger } from './trigger';
import { triggerLazySandbox } from './triggerLazySandbox';
import { triggerVersion1 } from './triggerVersion1';
import { waitCpu } from './waitCpu';

/** All rows, in the table's order. Those that need n8n with other settings come last, since all others share one. */
export const rows: readonly Row[] = [
	kickoffOne,
	kickoffsHttp,
	kickoffsMaxParallel,
	kickoffsLoop,
	kickoffsFloor,
	slowKickoffsHttp,
	slowestKickoffsHttp,
	slowKickoffsFloor,
	processorBoundKickoffs,
	timePerItem,
	heapPerItem,
	resume,
	waitCpu,
	trigger,
	triggerVersion1,
	stream,
	streamGrowth,
	join,
	joinMany,
	kickoffsCold,
	slowKickoffsCold,
	slowestKickoffsCold,
	refusedKickoffs,
	refusedKickoffsRequests,
	fixedKickoffs,
	joinMemory,
	triggerLazySandbox,
	loadingFirecrawl,
	loadingEvolution,
	sizeFirecrawl,
	sizeEvolution,
	crewServerSize,
	crewServerPackages,
	crewaiFirstCall,
	crewaiResume,
	crewaiKickoff,
	crewaiKickoffs,
	crewaiMemory,
	crewaiStart,
];
