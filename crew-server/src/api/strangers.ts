import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

import { HttpError } from './httpError';

/** As the `config` of a route: the route needs no token. */
export const OPEN_TO_ALL = { isOpenToAll: true } as const;

declare module 'fastify' {
	interface FastifyContextConfig {
		isOpenToAll?: boolean;
	}
}

/**
 * Refuses requests of other web pages in a browser that can reach this server: those that the browser marks as coming from
 * elsewhere, and those to a foreign name that leads here (DNS rebinding), unless they have to show a token.
 *
 * @param publicHosts names under which it is reached, besides addresses and names of machines and containers
 */
export function refuseStrangers(app: FastifyInstance, publicHosts: readonly string[]): void {
	const known = new Set([hostname(), ...publicHosts].map((name) => name.toLowerCase()));
	app.addHook('onRequest', ({ headers, method, routeOptions }, _reply, done) => {
		const name = nameIn(headers.host);
		if (isFromElsewhere(headers, method)) {
			done(new HttpError(403, 'Pages at other addresses cannot use this server'));
		} else if (routeOptions.config.isOpenToAll && !isKnown(name, known)) {
			const advice = `start the crew server with --public-host ${name}`;
			done(new HttpError(403, `${name} is not a known name here: ${advice}`));
		} else {
			done();
		}
	});
}

function isFromElsewhere(headers: IncomingHttpHeaders, method: string): boolean {
	const site = headers['sec-fetch-site'];
	if (site === 'same-origin' || site === 'none') return false;
	if (site !== undefined) {
		// Any page may link here.
		const isLink =
			headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
		return !(isLink && method === 'GET');
	}
	const { origin, host, 'x-forwarded-host': forwarded } = headers;
	if (origin === undefined) return false;
	const from = URL.canParse(origin) ? new URL(origin).host : origin;
	return from !== host && from !== forwarded;
}

function nameIn(host = 'localhost'): string {
	return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
}

/** An address cannot lead elsewhere tomorrow, as a name can. Strangers cannot own names without a dot, or with these endings. */
function isKnown(name: string, known: ReadonlySet<string>): boolean {
	const isAddress = isIP(name) !== 0 || name.startsWith('[');
	return (
		isAddress || !name.includes('.') || /\.(localhost|internal)$/.test(name) || known.has(name)
	);
}
