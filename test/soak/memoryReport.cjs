/**
 * Loaded into n8n (`node --expose-gc --require`): on SIGUSR2 it collects all garbage and writes what is in use
 * afterwards into n8n's log, as bytes on the heap and in all.
 */
process.on('SIGUSR2', () => {
	globalThis.gc();
	globalThis.gc();
	const { heapUsed, rss } = process.memoryUsage();
	process.stdout.write(`memory in use: ${heapUsed} ${rss}\n`);
});
