import { useState } from 'preact/hooks';

import type { ApiProblem } from '../api';
import { count, duration, moment, STATUS_WORDS, wholeMoment } from '../format';
import { Badge } from '../parts/Badge';
import { CopyButton } from '../parts/CopyButton';
import { Dialog } from '../parts/Dialog';
import { usePolled } from '../polling';
import { addressOf, TABS, type Tab } from '../route';
import { Timeline } from '../timeline/Timeline';
import { useCommand } from '../useCommand';
import { useNow } from '../useNow';
import type { ExecutionView } from '../wire';
import { Callbacks } from './Callbacks';
import { Decide } from './Decide';
import { Details } from './Details';
import { LogLines } from './LogLines';
import { Output } from './Output';

const TAB_WORDS: Record<Tab, string> = {
	timeline: 'Timeline',
	output: 'Output',
	callbacks: 'Callbacks',
	log: 'Log',
	details: 'Inputs',
};

/** One execution: what it is doing, its results, and what a person can do with it. */
export function Execution({ id, tab }: { id: string; tab: Tab }) {
	const { value, problem, refresh } = usePolled<ExecutionView>(
		`page/execution?id=${encodeURIComponent(id)}`,
		(known) => known?.finishedAt === undefined,
	);
	if (!value) {
		return (
			<main>
				<Back />
				{problem && <p role="alert">{explain(problem)}</p>}
			</main>
		);
	}
	return (
		<main>
			<Back />
			<Head execution={value} refresh={refresh} />
			{problem && <p role="alert">{explain(problem)}</p>}
			{value.error && value.status === 'failed' && (
				<section class="card failure" aria-label="Why it failed">
					<pre tabIndex={0}>{value.error.text}</pre>
				</section>
			)}
			<Decide execution={value} refresh={refresh} />
			<nav class="tabs" aria-label="Parts of the execution">
				{TABS.map((one) => (
					<a
						key={one}
						href={addressOf({ view: 'execution', id, tab: one })}
						aria-current={one === tab ? 'page' : undefined}
					>
						{TAB_WORDS[one]}
					</a>
				))}
			</nav>
			<Part tab={tab} execution={value} />
		</main>
	);
}

function explain({ status, message }: ApiProblem): string {
	return status === 404 ? 'There is no such execution, or this token does not reach it.' : message;
}

function Back() {
	return (
		<p>
			<a href={addressOf({ view: 'executions' })}>← Executions</a>
		</p>
	);
}

function Part({ tab, execution }: { tab: Tab; execution: ExecutionView }) {
	switch (tab) {
		case 'timeline':
			return <Timeline execution={execution} />;
		case 'output':
			return <Output execution={execution} />;
		case 'callbacks':
			return <Callbacks id={execution.kickoffId} />;
		case 'log':
			return <LogLines id={execution.kickoffId} isLive={execution.finishedAt === undefined} />;
		case 'details':
			return <Details execution={execution} />;
	}
}

function Head({ execution, refresh }: { execution: ExecutionView; refresh: () => void }) {
	const { kickoffId, status, isQueued, startedAt, finishedAt, tokenUsage, owner } = execution;
	const now =
		useNow(finishedAt === undefined) + (finishedAt === undefined ? execution.now - Date.now() : 0);
	const state = isQueued ? 'queued' : status;
	return (
		<div class="execution-head">
			<div>
				<h1>
					<Badge state={state} word={STATUS_WORDS[state]} />
					<code>{kickoffId}</code>
					<CopyButton text={kickoffId} name="the ID" />
				</h1>
				<dl class="facts">
					<div>
						<dt>Started</dt>
						<dd title={wholeMoment(startedAt)}>{moment(startedAt)}</dd>
					</div>
					<div>
						<dt>{finishedAt === undefined ? 'Takes' : 'Took'}</dt>
						<dd>{duration((finishedAt ?? Math.max(now, execution.now)) - startedAt)}</dd>
					</div>
					<div>
						<dt>Tokens</dt>
						<dd>
							{count(tokenUsage.total_tokens)}{' '}
							<span class="faint">
								({count(tokenUsage.prompt_tokens)} in, {count(tokenUsage.completion_tokens)} out)
							</span>
						</dd>
					</div>
					<div>
						<dt>Started by</dt>
						<dd>{owner === 'user' ? 'The user access token' : 'The access token'}</dd>
					</div>
				</dl>
			</div>
			<div class="buttons">
				<a class="button" href={addressOf({ view: 'start', from: kickoffId })}>
					Run again
				</a>
				{finishedAt === undefined && <Stop id={kickoffId} refresh={refresh} />}
			</div>
		</div>
	);
}

function Stop({ id, refresh }: { id: string; refresh: () => void }) {
	const [isAsking, setIsAsking] = useState(false);
	const [stop, problem] = useCommand(refresh, `stop/${id}`);
	return (
		<>
			<button
				type="button"
				class="danger"
				onClick={() => {
					setIsAsking(true);
				}}
			>
				Stop
			</button>
			{problem && <p role="alert">{problem}</p>}
			{isAsking && (
				<Dialog
					title="Stop this execution?"
					action="Stop it"
					onAnswer={(isConfirmed) => {
						setIsAsking(false);
						if (isConfirmed) stop();
					}}
				>
					<p>It ends now, and cannot continue later.</p>
				</Dialog>
			)}
		</>
	);
}
