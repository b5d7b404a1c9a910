import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Asks for confirmation of something that cannot be undone. */
export function Dialog({
	title,
	action,
	children,
	onAnswer,
}: {
	title: string;
	action: string;
	children: ComponentChildren;
	onAnswer: (isConfirmed: boolean) => void;
}) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		dialog.current?.showModal();
	}, []);
	return (
		<dialog
			ref={dialog}
			aria-labelledby="dialog-title"
			onClose={() => {
				onAnswer(dialog.current?.returnValue === 'yes');
			}}
		>
			<h2 id="dialog-title">{title}</h2>
			{children}
			<div class="buttons">
				<button type="button" onClick={() => dialog.current?.close('no')}>
					Cancel
				</button>
				<button type="button" class="danger" onClick={() => dialog.current?.close('yes')}>
					{action}
				</button>
			</div>
		</dialog>
	);
}
