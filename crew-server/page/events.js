/** Reads server-sent events from a body; EventSource cannot send the token that is needed. */
export async function* readEvents(body) {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let text = '';
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		text += value;
		const events = text.split('\n\n');
		text = events.pop();
		for (const event of events) {
			const data = event.split('\n').find((line) => line.startsWith('data: '));
			if (data) yield JSON.parse(data.slice('data: '.length));
		}
	}
}
