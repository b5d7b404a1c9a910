export {
	startCrewServer,
	type CrewServer,
	type CrewServerOptions,
	type ExecutionView,
} from './crewServer';
export type { Aspects } from './api/aspects';
export type { CrewInput } from './domain/crew';
export type { Execution, Task } from './domain/execution';
export type { CallbackKind } from './domain/targets';
export type { CrewDefinition, CrewTask } from './simulator/crew/definition';
export type { Dialect } from './simulator/dialects';
export type { Fault } from './simulator/faults/fault';
export type { RequestRecord } from './simulator/http/requestLog';
export type { CallbackRecord } from './store/store';
export type { Engine } from './worker/engine';
