/** Loaded into a server before all else: a clock that is wrong, and may be set, or a garbage collector that never rests. */
const { readFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const { now } = Date;
let shift = Number(process.env.CLOCK_SHIFT ?? 0);
Date.now = () => now() + shift;

// Milliseconds as a file tells them, for a clock that is set while the server runs.
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
