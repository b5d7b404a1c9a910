#!/usr/bin/env node
/**
 * Speaks the host's protocol in place of Python: `--python` names it to the crew server. Lines of the file `behavior`
 * in the project's folder, which is read whenever it matters, change what it does:
 *
 * - `dies`: the host ends with exit code 7, a moment after its start; `refuses`: it cannot import the project;
 *   `hangs`: it no longer answers; `imports`: its import never ends, and it prints the line;
 * - `on_interrupt ask`, `on_interrupt fail`: the `on_interrupt` of its task;
 * - `child closes`: a child closes its connection but stays alive; `child is killed`: it gets SIGKILL, with unread
 *   messages; `child works`: its task never ends; `child grows`: it also uses much memory; `child spends`: it also
 *   calls a model again and again; `child asks`: it writes a file, asks a person, and returns its folder.
 */
const { spawn } = require('node:child_process');
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { connect, Socket } = require('node:net');
const { join } = require('node:path');

const has = (line) => {
	const file = join(process.cwd(), 'behavior');
	return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(line);
};

/** Returns a function that sends a message; calls `onMessage` with each that arrives. */
function converse(socket, onMessage) {
	let rest = '';
	socket.setEncoding('utf8');
	socket.on('data', (data) => {
		const lines = (rest + data).split('\n');
		rest = lines.pop();
		for (const line of lines) onMessage(JSON.parse(line));
	});
	return (message) => socket.write(`${JSON.stringify(message)}\n`);
}

const TASK = { description: 'D', expected_output: 'E', agent: 'A' };

function host() {
	appendFileSync('starts', `${Date.now()} ${process.pid}\n`);
	const children = new Map();
	let opening;
	const control = new Socket({ fd: 3 });
	const send = converse(control, (message) => {
		if (message.type === 'open') open(message);
		else if (message.type === 'fork') fork(message.child);
		else if (message.type === 'end') children.get(message.child)?.kill('SIGKILL');
		else if (message.type === 'ask' && !has('hangs')) send({ type: 'alive' });
	});
	control.on('close', () => {
		for (const child of children.values()) child.kill('SIGKILL');
		if (!has('hangs')) process.exit(0);
	});

	function open(message) {
		opening = message;
		if (has('imports')) {
			// In the format of Python's faulthandler.
			const place = join(process.cwd(), 'src', 'fake', 'crew.py');
			process.stderr.write(
				`Stack (most recent call first):\n  File "/usr/lib/socket.py", line 5 in connect\n  File "${place}", line 7 in <module>\n`,
			);
			return;
		}
		if (has('refuses')) {
			send({ type: 'refused', message: 'There is a mistake in crew.py.' });
			setTimeout(() => process.exit(1), 50);
			return;
		}
		const found = { crewai: '1', python: '3', place: 'crew.py', shares_memory: true };
		send({ type: 'imported', version: 1, ...found, seconds: [0, 0], slow: [], unshareable: [] });
		if (has('dies')) {
			setTimeout(() => {
				process.stderr.write('MemoryError: the model did not fit\n');
				process.exit(7);
			}, 100);
		}
	}

	function fork(number) {
		if (has('hangs')) return;
		const args = [__filename, 'child', String(number), opening.socket];
		const child = spawn(process.execPath, args, { stdio: 'ignore', detached: true });
		children.set(number, child);
		child.on('exit', (code, signal) => {
			children.delete(number);
			send({ type: 'exited', child: number, code, signal, lines: [] });
		});
	}
}

function child(number, socket) {
	const connection = connect(socket);
	const acknowledged = new Map();
	let sent = 0;
	const send = converse(connection, (message) => {
		if (message.type === 'describe') describe();
		else if (message.type === 'begin') void begin(message);
		else if (message.type === 'acknowledged') acknowledged.get(message.number)();
	});
	const report = (message) =>
		new Promise((resolve) => {
			sent += 1;
			acknowledged.set(sent, resolve);
			send({ type: message.type, number: sent, ...message });
		});
	send({ type: 'hello', version: 1, child: number, pid: process.pid });

	function describe() {
		const task = { name: 'work', ...TASK, human_input: false, guardrails: 0, output_file: null };
		task.on_interrupt = ['fail', 'ask'].find((word) => has(`on_interrupt ${word}`)) ?? 'again';
		const facts = {
			has_hooks: false,
			persists: false,
			builds_early: true,
			warnings: [],
			unset: [],
		};
		send({
			type: 'described',
			name: 'fake',
			kind: 'crew',
			tasks: [task],
			inputs: [],
			agents: [],
			...facts,
		});
		connection.end(() => process.exit(0));
	}

	async function begin({ asked, done }) {
		if (done.length > 0) {
			await report({ type: 'crew_done', output: done[0].output, output_json: null });
			process.exit(0);
		}
		if (has('child is killed')) {
			void report({ type: 'task_begun', task_id: 'work', ...TASK });
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
			process.kill(process.pid, 'SIGKILL');
		}
		await report({ type: 'task_begun', task_id: 'work', ...TASK });
		const output = { output: has('child asks') ? process.cwd() : 'Done', output_json: null };
		if (has('child asks') && asked.length === 0) {
			send({ type: 'file_written' });
			const question = { ...output, reason: null, works_on: false, checkpoint: {} };
			await report({ type: 'question', task_id: 'work', ...question });
			await report({ type: 'paused' });
			process.exit(0);
		}
		if (has('child closes')) {
			connection.destroy();
			setInterval(() => undefined, 1_000);
			return;
		}
		if (has('child works')) return;
		if (has('child grows')) {
			globalThis.held = Buffer.alloc(400 * 1024 ** 2, 1);
			return;
		}
		if (has('child spends')) {
			setInterval(() => send({ type: 'tokens', total: 300, prompt: 200, completion: 100 }), 50);
			return;
		}
		await report({ type: 'task_done', task_id: 'work', ...output, checkpoint: null, ...TASK });
		await report({ type: 'crew_done', ...output });
		process.exit(0);
	}
}

if (process.argv.includes('child')) child(Number(process.argv[3]), process.argv[4]);
else host();
