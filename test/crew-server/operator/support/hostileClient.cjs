/**
 * A client in a separate thread, which sends a body again and again until it is ended, and reports the status of each
 * answer.
 */
const { request } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');

const body = Buffer.from(workerData.body);

function send() {
	const headers = {
		authorization: `Bearer ${workerData.token}`,
		'content-type': 'application/json',
		'content-length': body.length,
	};
	const sent = request(`${workerData.url}/kickoff`, { method: 'POST', headers }, (response) => {
		response.resume();
		response.on('end', () => {
			parentPort.postMessage(response.statusCode);
			send();
		});
	});
	sent.end(body);
}

send();
