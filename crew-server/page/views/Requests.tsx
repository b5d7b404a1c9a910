import { moment } from '../format';
import { Badge } from '../parts/Badge';
import { usePolled } from '../polling';
import type { RequestView } from '../wire';

/** The requests that clients have sent to the simulator, the newest first. */
export function Requests() {
	const { value, problem } = usePolled<{ requests: RequestView[] }>('page/requests', () => true);
	return (
		<main>
			<h1>Requests</h1>
			<p class="faint">Requests that clients sent to this simulated crew, with its answers.</p>
			{problem && <p role="alert">{problem.message}</p>}
			{value?.requests.length === 0 && <p class="empty">None yet.</p>}
			{value?.requests.map((request) => (
				<Request key={request.id} request={request} />
			))}
		</main>
	);
}

function Request({ request }: { request: RequestView }) {
	const { at, method, path, status, isOpen, body, answer } = request;
	const word = status === undefined ? (isOpen ? 'Open' : 'Dropped') : String(status);
	const state =
		status === undefined ? (isOpen ? 'running' : 'failed') : status < 400 ? 'completed' : 'failed';
	return (
		<details class="entry">
			<summary>
				<Badge state={state} word={word} />
				<code class="grow">
					{method} {path}
				</code>
				<span class="faint">{moment(at)}</span>
			</summary>
			{body && (
				<>
					<h3>Sent</h3>
					<pre tabIndex={0}>{body.text}</pre>
				</>
			)}
			{answer && (
				<>
					<h3>Answered</h3>
					<pre tabIndex={0}>{answer.text}</pre>
				</>
			)}
		</details>
	);
}
