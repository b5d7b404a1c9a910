/**
 * Loaded into a deployment before anything else (`node --require`): kills it, its host, or the child in question, as
 * soon as so many messages of children have come or so many journal entries are written, as `CREW_KILL` says.
 */
const { ClassicLevel } = require('classic-level');
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { Socket } = require('node:net');

/** @type {{ what: 'server' | 'host' | 'child', on: 'message' | 'entry', at: number, mark: string }} */
const { what, on, at, mark } = JSON.parse(process.env.CREW_KILL);
let seen = 0;
/** The process of the newest message. */
let child = 0;

function count() {
	seen += 1;
	if (seen !== at) return;
	writeFileSync(mark, '');
	process.kill(victim(), 'SIGKILL');
}

function victim() {
	if (what === 'server') return process.pid;
	return what === 'child' ? child : host();
}

function host() {
	const children = readdirSync('/proc/self/task').flatMap((task) =>
		readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
	);
	const isHost = (pid) =>
		readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('crew-server/python');
	return Number(children.find(isHost));
}

const OF_WORK = /^{"type": "(prepared|task_begun|step|tokens|event|question|task_done|crew_done)"/;
const begun = new WeakMap();
const pids = new WeakMap();

/** Looks at messages before the deployment does. */
function look(socket, chunk) {
	const lines = ((begun.get(socket) ?? '') + chunk.toString('latin1')).split('\n');
	begun.set(socket, lines.pop());
	for (const line of lines) {
		if (line.startsWith('{"type": "hello"')) pids.set(socket, JSON.parse(line).pid);
		if (!OF_WORK.test(line)) continue;
		child = pids.get(socket);
		if (on === 'message') count();
	}
}

const emit = Socket.prototype.emit;
Socket.prototype.emit = function (event, ...rest) {
	if (event === 'data' && this.remoteAddress === undefined) look(this, rest[0]);
	return emit.call(this, event, ...rest);
};

const batch = ClassicLevel.prototype.batch;
ClassicLevel.prototype.batch = async function (...args) {
	await batch.apply(this, args);
	if (on === 'entry') count();
};
