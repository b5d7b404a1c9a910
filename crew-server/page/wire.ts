export type * from '../src/page/wire';
export type { Status } from '../src/domain/execution';
export type { Summary } from '../src/store/store';
