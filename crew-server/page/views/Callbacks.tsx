import { moment, plural } from '../format';
import { Badge } from '../parts/Badge';
import { usePolled } from '../polling';
import { useCommand } from '../useCommand';
import type { CallbackView } from '../wire';

const FATES: Record<CallbackView['fate'], { word: string; state: string }> = {
	due: { word: 'Due', state: 'running' },
	delivered: { word: 'Delivered', state: 'completed' },
	given_up: { word: 'Given up', state: 'failed' },
};

/** The callbacks of the execution, with each attempt. */
export function Callbacks({ id }: { id: string }) {
	const { value, problem, refresh } = usePolled<{ callbacks: CallbackView[] }>(
		`page/callbacks?id=${encodeURIComponent(id)}`,
		() => true,
	);
	if (problem && !value) return <p role="alert">{problem.message}</p>;
	if (value?.callbacks.length === 0) {
		return (
			<p class="empty">There are none: the kickoff named no URL, or they have been deleted.</p>
		);
	}
	return (
		<div>
			{value?.callbacks.map((callback) => (
				<Entry key={callback.id} id={id} callback={callback} refresh={refresh} />
			))}
		</div>
	);
}

interface EntryProps {
	id: string;
	callback: CallbackView;
	refresh: () => void;
}

function Entry({ id, callback, refresh }: EntryProps) {
	const { kind, url, fate, attempts, body, isWhole } = callback;
	const { word, state } = FATES[fate];
	return (
		<details class="entry">
			<summary>
				<Badge state={state} word={word} />
				<strong>{kind.replaceAll('_', ' ')}</strong>
				<code class="grow">{url}</code>
				<span class="faint">{plural(attempts.length, 'try', 'tries')}</span>
			</summary>
			<dl class="facts">
				<div>
					<dt>webhook-id</dt>
					<dd>
						<code>{callback.id}</code>
					</dd>
				</div>
			</dl>
			{attempts.length > 0 && (
				<ol class="tries">
					{attempts.map(({ at, status, problem }, index) => (
						<li key={index}>
							{moment(at)}: {problem ?? `answered ${status ?? ''}`}
						</li>
					))}
				</ol>
			)}
			{fate === 'given_up' && <SendAgain id={id} callback={callback} refresh={refresh} />}
			{isWhole ? (
				<pre tabIndex={0}>{body.text}</pre>
			) : (
				<p class="faint">Its body was too long to keep.</p>
			)}
		</details>
	);
}

function SendAgain({ id, callback, refresh }: EntryProps) {
	const [send, problem] = useCommand(refresh, 'page/send-again', { id, callback: callback.id });
	if (!callback.isWhole)
		return <p class="faint">It cannot be sent again, since its body was too long to keep.</p>;
	return (
		<div class="buttons">
			<button type="button" onClick={send}>
				Send again
			</button>
			<span class="faint">with the same webhook-id, by which receivers recognize repeats</span>
			{problem && <p role="alert">{problem}</p>}
		</div>
	);
}
