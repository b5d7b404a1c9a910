import { useState } from 'preact/hooks';

/** Copies a text. */
export function CopyButton({
	text,
	label = 'Copy',
	name,
}: {
	text: string | (() => Promise<string>);
	label?: string;
	/** What is copied, for people who cannot see what is next to the button. */
	name: string;
}) {
	const [said, setSaid] = useState('');
	const copy = async () => {
		try {
			await put(typeof text === 'string' ? text : await text());
			setSaid('Copied');
		} catch {
			setSaid('Not copied');
		}
		setTimeout(() => {
			setSaid('');
		}, 2_000);
	};
	return (
		<button type="button" class="quiet" aria-label={`${label} ${name}`} onClick={() => void copy()}>
			<span aria-live="polite">{said || label}</span>
		</button>
	);
}

/** Browsers offer a clipboard only at secure addresses, which plain HTTP to another machine is not. */
async function put(text: string): Promise<void> {
	if (isSecureContext) {
		await navigator.clipboard.writeText(text);
		return;
	}
	const area = document.createElement('textarea');
	area.value = text;
	document.body.append(area);
	area.select();
	// Deprecated in favor of the clipboard, which is missing here.
	// eslint-disable-next-line @typescript-eslint/no-deprecated
	const isCopied = document.execCommand('copy');
	area.remove();
	if (!isCopied) throw new Error('the browser does not copy');
}
