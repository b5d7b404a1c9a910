import { TextView } from '../parts/TextView';
import { addressOf } from '../route';
import type { ExecutionView } from '../wire';

/** What it was started with. */
export function Details({ execution }: { execution: ExecutionView }) {
	const { kickoffId, begunAs, restoredFrom, inputs, meta } = execution;
	return (
		<div class="outputs">
			<section class="card" aria-labelledby="inputs">
				<h2 id="inputs">Inputs</h2>
				<TextView name="inputs" shown={inputs} id={kickoffId} of="inputs" />
			</section>
			{meta && (
				<section class="card" aria-labelledby="meta">
					<h2 id="meta">Meta</h2>
					<TextView name="meta" shown={meta} id={kickoffId} of="meta" />
				</section>
			)}
			{begunAs !== undefined && (
				<p>
					Until a person answered, its ID was <code>{begunAs}</code>.
				</p>
			)}
			{restoredFrom !== undefined && (
				<p>
					It began with the state of{' '}
					<a href={addressOf({ view: 'execution', id: restoredFrom, tab: 'timeline' })}>
						<code>{restoredFrom}</code>
					</a>
					.
				</p>
			)}
		</div>
	);
}
