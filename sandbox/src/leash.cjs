/**
 * Loaded into n8n before n8n itself (`node --require`). The sandbox has the other end of standard input: when it
 * dies, even by `kill -9`, the pipe closes, and n8n ends with everything it started.
 */
const GRACE = 10_000;

process.stdin.on('end', () => {
	process.kill(process.pid, 'SIGTERM');
	setTimeout(() => process.kill(-process.pid, 'SIGKILL'), GRACE).unref();
});
process.stdin.on('error', () => {});
process.stdin.resume();
process.stdin.unref();
