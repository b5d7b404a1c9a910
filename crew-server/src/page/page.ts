import type { FastifyInstance, FastifyPluginCallback, FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Aspects } from '../api/aspects';
import { ownerOf } from '../api/bearer';
import { endAtClose } from '../api/openStreams';
import { Refusal } from '../api/refusals';
import type { Tokens } from '../store/tokens';
import { streamChanges, type Showcase } from './changeStream';

const folder = join(__dirname, '..', '..', 'page');

const TYPES = {
	'index.html': 'text/html; charset=utf-8',
	'crew.css': 'text/css; charset=utf-8',
	'crew.js': 'text/javascript; charset=utf-8',
	'elements.js': 'text/javascript; charset=utf-8',
	'entries.js': 'text/javascript; charset=utf-8',
	'events.js': 'text/javascript; charset=utf-8',
	'follow.js': 'text/javascript; charset=utf-8',
	'review.js': 'text/javascript; charset=utf-8',
} as const;

/** Nothing but the page's own parts is loaded, and nobody else can put it into a frame. */
const POLICY = "default-src 'self'; img-src data:; frame-ancestors 'none'; form-action 'self'";

export interface PageSettings extends Showcase {
	tokens: Tokens;
	aspects: Pick<Aspects, 'root'>;
}

/** The page for people, and the health word or nothing for all others, at the same address. */
export function page({ tokens, aspects, ...showcase }: PageSettings): FastifyPluginCallback {
	return (app, _options, done) => {
		app.get('/', (request, reply) => {
			void reply.header('vary', 'accept');
			const isBrowser = request.headers.accept?.includes('text/html') ?? false;
			if (isBrowser) return sendFile(reply, 'index.html');
			if (aspects.root === 'none') throw new Refusal(404, 'Not Found');
			return reply.type('text/plain; charset=utf-8').send('Healthy');
		});
		for (const file of Object.keys(TYPES) as Array<keyof typeof TYPES>) {
			if (file === 'index.html') continue;
			app.get(`/page/${file}`, (_request, reply) => sendFile(reply, file));
		}
		addChanges(app, showcase, tokens);
		done();
	};
}

function addChanges(app: FastifyInstance, showcase: Showcase, tokens: Tokens): void {
	const open = new Set<FastifyReply['raw']>();
	endAtClose(app, open);
	app.get('/page/changes', { exposeHeadRoute: false }, (request, reply) => {
		// It shows everybody's executions, so a user's token does not do.
		if (ownerOf(request.headers.authorization, tokens) !== 'organisation') {
			throw new Refusal(401, 'Invalid Bearer token');
		}
		open.add(reply.raw);
		reply.raw.once('close', () => open.delete(reply.raw));
		streamChanges(reply, showcase);
	});
}

/** @returns what is to be sent */
function sendFile(reply: FastifyReply, file: keyof typeof TYPES): Promise<Buffer> {
	void reply.type(TYPES[file]).headers({
		'cache-control': 'no-cache',
		'content-security-policy': POLICY,
		'referrer-policy': 'no-referrer',
		'x-content-type-options': 'nosniff',
	});
	return readFile(join(folder, file));
}
