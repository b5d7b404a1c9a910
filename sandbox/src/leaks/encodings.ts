/** The forms in which a text can be written: as it is, and in JSON, URLs, base64, and binary columns. */
export function encodingsOf(text: string): string[] {
	const inJson = JSON.stringify(text).slice(1, -1);
	return [
		...new Set([
			text,
			inJson,
			JSON.stringify(inJson).slice(1, -1),
			encodeURIComponent(text),
			encodeURIComponent(text).replaceAll('%20', '+'),
			Buffer.from(text).toString('hex'),
			...[0, 1, 2].flatMap((offset) => base64At(text, offset)),
		]),
	];
}

/**
 * A text in base64 that begins `offset` bytes after a multiple of three, as in `user:password`, without the
 * characters that also depend on the bytes around it.
 */
function base64At(text: string, offset: number): string[] {
	const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
	const own = (encoded: string) => {
		const shared = bytes.length % 3 === 0 ? 0 : 1;
		const digits = encoded.replace(/=+$/, '');
		return digits.slice(Math.ceil((offset * 4) / 3), digits.length - shared);
	};
	return [own(bytes.toString('base64')), own(bytes.toString('base64url'))];
}
