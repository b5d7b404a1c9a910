import { parseDialect, type Dialect } from '../../crew-server/src/simulator/dialects';

/**
 * The dialect of the API that crew servers use by default: `CREW_DIALECT`, or the documented one.
 *
 * @throws {Error} saying which dialects there are
 */
export function usualDialect(): Dialect {
	return parseDialect(process.env['CREW_DIALECT'] ?? 'documented');
}
