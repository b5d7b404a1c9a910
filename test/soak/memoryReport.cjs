/**
 * Loaded into n8n (`node --expose-gc --require`): on SIGUSR2, it collects garbage and then writes the bytes in use,
 * on the heap and in total, into n8n's log.
 */
process.on('SIGUSR2', () => {
	globalThis.gc();
	globalThis.gc();
	const { heapUsed, rss } = process.memoryUsage();
	process.stdout.write(`memory in use: ${heapUsed} ${rss}\n`);
});
