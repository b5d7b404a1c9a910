import type { FastifyPluginCallback, FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import type { Aspects } from '../api/aspects';
import { HttpError } from '../api/httpError';
import { OPEN_TO_ALL } from '../api/strangers';
import { PACKAGE } from '../installation';
import { addPageRoutes, type Showcase } from './routes';

/** Where the build puts the files for browsers, compressed. */
const folder = join(PACKAGE, 'dist', 'browser');

const TYPES: Record<string, string> = {
	html: 'text/html; charset=utf-8',
	css: 'text/css; charset=utf-8',
	js: 'text/javascript; charset=utf-8',
};

/**
 * Only the page's own parts are loaded, no other page can put it into a frame, and no text becomes elements before
 * the sanitizer has checked it.
 */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	'trusted-types dompurify',
].join('; ');

const unpack = promisify(gunzip);

export interface PageSettings extends Showcase {
	aspects: Pick<Aspects, 'root'>;
}

/** The page for browsers, and the health word or 404 for all other clients, at the same address. */
export function page({ aspects, ...showcase }: PageSettings): FastifyPluginCallback {
	return (app, _options, done) => {
		app.get('/', { config: OPEN_TO_ALL }, (request, reply) => {
			void reply.header('vary', 'accept, accept-encoding');
			const isBrowser = request.headers.accept?.includes('text/html') ?? false;
			if (isBrowser) return sendFile('index.html', reply);
			if (aspects.root === 'none') throw new HttpError(404, 'Not Found');
			return reply.type('text/plain; charset=utf-8').send('Healthy');
		});
		for (const file of ['styles.css', 'page.js', 'reference.js', 'shared.js']) {
			app.get(`/page/${file}`, { config: OPEN_TO_ALL }, (_request, reply) => sendFile(file, reply));
		}
		void app.register(addPageRoutes(showcase));
		done();
	};
}

/** @returns the content to send */
async function sendFile(file: string, reply: FastifyReply): Promise<Buffer> {
	const packed = await readFile(join(folder, `${file}.gz`));
	const takesGzip = reply.request.headers['accept-encoding']?.includes('gzip') ?? false;
	void reply.type(TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? '').headers({
		'cache-control': 'no-cache',
		'content-security-policy': POLICY,
		'cross-origin-opener-policy': 'same-origin',
		'cross-origin-resource-policy': 'same-origin',
		'referrer-policy': 'no-referrer',
		'x-content-type-options': 'nosniff',
		...(takesGzip ? { 'content-encoding': 'gzip' } : {}),
	});
	return takesGzip ? packed : await unpack(packed);
}
