/** Loaded into a server before all else: a clock that is wrong, or a garbage collector that never rests. */
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const { now } = Date;
const shift = Number(process.env.CLOCK_SHIFT ?? 0);
Date.now = () => now() + shift;

if (process.env.COLLECTS_GARBAGE) {
	setFlagsFromString('--expose-gc');
	setInterval(runInNewContext('gc'), 200).unref();
}
