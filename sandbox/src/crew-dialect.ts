import type { Dialect } from '../../local-crew/src';

/** The dialect of the API that local crews speak unless they are told otherwise: `CREW_DIALECT`, or the documented one. */
export function usualDialect(): Dialect {
	return process.env['CREW_DIALECT'] === 'queue' ? 'queue' : 'documented';
}
