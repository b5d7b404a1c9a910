/**
 * Loaded into n8n before anything else (`node --require`): reports this process's memory and CPU time, and takes profiles,
 * on its own port. Only code inside the process can make it collect its garbage.
 */
const { createServer } = require('node:http');
const { Session } = require('node:inspector/promises');
const v8 = require('node:v8');
const { runInNewContext } = require('node:vm');

const port = Number(process.env.CREW_BENCH_PROBE_PORT);
// n8n starts further processes, which inherit the option but not the variable.
delete process.env.CREW_BENCH_PROBE_PORT;

v8.setFlagsFromString('--expose-gc');
/** For the node Gauge, which measures the heap in the middle of an execution. */
globalThis.crewBenchCollectGarbage = runInNewContext('gc');

const session = new Session();
session.connect();

const answers = {
	'/usage': () => {
		const { rss, heapUsed, external } = process.memoryUsage();
		const { user, system } = process.cpuUsage();
		return { rss, inUse: heapUsed + external, cpu: (user + system) / 1_000 };
	},
	'/collect': async () => {
		// Twice: what the first collection frees may have held on to more.
		globalThis.crewBenchCollectGarbage();
		await new Promise((resolve) => setImmediate(resolve));
		globalThis.crewBenchCollectGarbage();
		return {};
	},
	'/profile/start': async () => {
		await session.post('Profiler.enable');
		await session.post('Profiler.setSamplingInterval', { interval: 200 });
		await session.post('Profiler.start');
		return {};
	},
	'/profile/stop': async () => (await session.post('Profiler.stop')).profile,
};

if (port > 0) {
	createServer(async (request, response) => {
		const answer = answers[request.url];
		response.statusCode = answer ? 200 : 404;
		response.end(JSON.stringify(answer ? await answer() : {}));
	})
		.listen(port, '127.0.0.1')
		.unref();
}
