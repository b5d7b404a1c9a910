/**
 * Loaded into a deployment before anything else (`node --require`). When its parent sends `{ what, on, at }`, it kills the
 * deployment, its host, or the child in question after a number of messages between server, host and children, or a number
 * of entries in the store, counted from the next kickoff on. At that moment, it creates the file that `CREW_KILLED` names.
 */
const { DatabaseSync } = require('@photostructure/sqlite');
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { Socket } = require('node:net');

/** @type {{ what: 'server' | 'host' | 'child', on: 'message' | 'entry', at: number } | undefined} */
let kill;
let seen = 0;
/** Whether the store has got an execution since the order. */
let hasExecution = false;
/** The child of the newest message. */
let child = 0;

process.on('message', (order) => {
	kill = order;
	hasExecution = false;
	seen = 0;
});

function count(on) {
	if (on !== kill?.on) return;
	seen += 1;
	if (seen !== kill.at) return;
	writeFileSync(process.env.CREW_KILLED, '');
	const pid = victim(kill.what);
	// For the system, 0 means everyone in the group.
	if (!pid) return;
	try {
		process.kill(pid, 'SIGKILL');
	} catch (error) {
		// A child may have ended since its last message.
		if (error.code !== 'ESRCH') throw error;
	}
}

function victim(what) {
	if (what === 'server') return process.pid;
	return what === 'child' ? child : host();
}

/** The child of the reaper, which the deployment has started. */
function host() {
	const isReaper = (pid) =>
		readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('crew-server/python');
	return Number(childrenOf('self').filter(isReaper).flatMap(childrenOf)[0]);
}

function childrenOf(pid) {
	return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
		readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
	);
}

const read = new WeakMap();
const written = new WeakMap();
const pids = new WeakMap();

/** Sees what the deployment reads or writes, before it happens. */
function look(socket, chunk, begun) {
	if (socket.remoteAddress !== undefined) return;
	const lines = ((begun.get(socket) ?? '') + chunk.toString('latin1')).split('\n');
	begun.set(socket, lines.pop());
	for (const line of lines.filter((one) => one.startsWith('{"type":'))) {
		const { type, pid } = JSON.parse(line);
		if (type === 'hello') pids.set(socket, pid);
		child = pids.get(socket) ?? child;
		count('message');
	}
}

const { emit, write } = Socket.prototype;
Socket.prototype.emit = function (event, ...rest) {
	if (event === 'data') look(this, rest[0], read);
	return emit.call(this, event, ...rest);
};
Socket.prototype.write = function (chunk, ...rest) {
	look(this, chunk, written);
	return write.call(this, chunk, ...rest);
};

/** The store's database, which reports what is written to it. */
class WatchedDatabase extends DatabaseSync {
	prepare(text, ...rest) {
		const statement = super.prepare(text, ...rest);
		if (text.startsWith('INSERT INTO executions'))
			after(statement, 'all', () => (hasExecution = true));
		// Late writes of an earlier execution, e.g. that a callback was delivered, do not count as entries of the new one.
		if (text === 'COMMIT') after(statement, 'run', () => hasExecution && count('entry'));
		return statement;
	}
}

/** Calls back each time that a method of a statement has done its work. */
function after(statement, method, callback) {
	const work = statement[method].bind(statement);
	const value = (...values) => {
		const result = work(...values);
		callback();
		return result;
	};
	Object.defineProperty(statement, method, { value });
}

const sqlite = require.cache[require.resolve('@photostructure/sqlite')];
sqlite.exports = { ...sqlite.exports, DatabaseSync: WatchedDatabase };
