/**
 * Loaded into a server before everything else: a wrong clock, which can be set; a garbage collector that never rests;
 * or a list of the times for which the event loop was blocked.
 */
const { appendFileSync, readFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const { now } = Date;
let shift = Number(process.env.CLOCK_SHIFT ?? 0);
Date.now = () => now() + shift;
// The clock's time when the process started.
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shift });

// The milliseconds in a file, for a clock that is set while the server runs.
const { CLOCK_FILE } = process.env;
if (CLOCK_FILE) {
	const set = () => (shift = Number(readFileSync(CLOCK_FILE, 'utf8')));
	set();
	setInterval(set, 100).unref();
}

if (process.env.COLLECTS_GARBAGE) {
	setFlagsFromString('--expose-gc');
	setInterval(runInNewContext('gc'), 200).unref();
}

// Milliseconds of processor time between two turns of the loop: other work on the machine does not count.
const { PIECES_FILE } = process.env;
if (PIECES_FILE) {
	let before = process.cpuUsage();
	const turn = () => {
		const { user, system } = process.cpuUsage(before);
		const piece = Math.round((user + system) / 1_000);
		if (piece > 50) appendFileSync(PIECES_FILE, `${piece}\n`);
		before = process.cpuUsage();
		setTimeout(turn, 1);
	};
	turn();
}
