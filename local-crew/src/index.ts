export { startLocalCrew, type LocalCrew, type LocalCrewOptions } from './localCrew';
export type { CallbackRecord } from './callbacks/callback';
export type { CallbackKind } from './callbacks/kind';
export type { CrewDefinition, CrewInput, CrewTask } from './crew/definition';
export type { Aspects, Dialect } from './dialect';
export type { ExecutionRecord, TaskRecord } from './executions/record';
export type { Fault } from './faults/fault';
export type { RequestRecord } from './http/requestLog';
