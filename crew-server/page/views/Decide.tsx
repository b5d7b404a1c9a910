import { diffLines, diffWordsWithSpace } from 'diff';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { get, post, withQuery, type ApiProblem } from '../api';
import { plural } from '../format';
import { TextView } from '../parts/TextView';
import { goOnAs } from '../route';
import type { ExecutionView, QuestionView } from '../wire';

/** Characters of the longest texts that are compared word by word, and at all. */
const FINE = 20_000;
const COMPARED = 200_000;

/** The questions that wait for a person, and the answers since this page was opened. */
export function Decide({ execution, refresh }: { execution: ExecutionView; refresh: () => void }) {
	const { questions, finishedAt } = execution;
	const open =
		finishedAt === undefined ? questions.filter(({ answer }) => answer === undefined) : [];
	const seen = useRef(new Set<number>());
	for (const { id } of open) seen.current.add(id);
	const decided = questions.filter(({ id, answer }) => answer && seen.current.has(id));
	return (
		<div aria-live="polite">
			{decided.map((question) => (
				<p key={question.id} class="note">
					{said(question)}
				</p>
			))}
			{open.map((question) => (
				<Form key={question.id} execution={execution} question={question} refresh={refresh} />
			))}
		</div>
	);
}

function said({ taskId, isAboutInterruption, answer }: QuestionView): string {
	const word = answer?.isApprove ? 'approved' : 'rejected';
	const feedback = answer?.feedback ? `: ${answer.feedback}` : '';
	const what = isAboutInterruption ? `Running ${taskId} again` : `The output of ${taskId}`;
	return `${what} was ${word}${feedback}`;
}

interface FormProps {
	execution: ExecutionView;
	question: QuestionView;
	refresh: () => void;
}

function Form({ execution, question, refresh }: FormProps) {
	const { kickoffId, questions } = execution;
	const { id, taskId, isAboutInterruption = false, output, reason } = question;
	const earlier = questions.filter(
		(one) =>
			one.taskId === taskId && one.id < id && !one.isAboutInterruption && !isAboutInterruption,
	);
	const [feedback, setFeedback] = useState('');
	const [problem, setProblem] = useState('');
	const [isSending, setIsSending] = useState(false);
	const area = useRef<HTMLTextAreaElement>(null);
	const decide = async (isApprove: boolean) => {
		if (!isApprove && !isAboutInterruption && feedback.trim() === '') {
			setProblem('Say what to change: the agent needs it to repeat the task.');
			area.current?.focus();
			return;
		}
		setIsSending(true);
		try {
			const answer = await post<{ kickoff_id?: string }>(
				'resume',
				answerOf(execution, question, isApprove, feedback),
			);
			setProblem('');
			// Some deployments continue under a new identifier.
			if (answer.kickoff_id !== undefined && answer.kickoff_id !== kickoffId) {
				goOnAs({ view: 'execution', id: answer.kickoff_id, tab: 'timeline' });
			}
		} catch (error) {
			setProblem(await explain(execution, question, error as ApiProblem));
		}
		setIsSending(false);
		refresh();
	};
	return (
		<section class="card decide" aria-labelledby={`question-${id}`}>
			<h2 id={`question-${id}`}>
				{isAboutInterruption ? `Run ${taskId} again?` : `Approve the output of ${taskId}?`}
			</h2>
			{reason && <p class="note">{reason}</p>}
			<Earlier earlier={earlier} question={question} />
			<div class="asked">
				<TextView name={taskId} shown={output} id={kickoffId} of={`question:${id}`} />
			</div>
			<label>
				<span>Feedback</span>
				<textarea
					ref={area}
					rows={3}
					value={feedback}
					aria-describedby={`question-${id}-note`}
					onInput={({ currentTarget }) => {
						setFeedback(currentTarget.value);
					}}
				/>
			</label>
			<p class="faint" id={`question-${id}-note`}>
				{isAboutInterruption
					? 'Optional. If you approve, the agents read it.'
					: 'Needed only if you reject: the agent then repeats the task with it.'}
			</p>
			{problem && <p role="alert">{problem}</p>}
			<div class="buttons">
				<button
					type="button"
					class="primary"
					disabled={isSending}
					onClick={() => void decide(true)}
				>
					Approve
				</button>
				<button type="button" disabled={isSending} onClick={() => void decide(false)}>
					Reject
				</button>
			</div>
		</section>
	);
}

/** The names that the documented API asks for, and those of the vendor's platform. */
function answerOf(
	{ kickoffId, callbacks }: ExecutionView,
	{ id, taskId }: QuestionView,
	isApprove: boolean,
	feedback: string,
): Record<string, unknown> {
	return {
		execution_id: kickoffId,
		executionId: kickoffId,
		task_id: taskId,
		taskId,
		question_id: String(id),
		human_feedback: feedback,
		is_approve: isApprove,
		// A resume must name the callbacks again: the API no longer calls the others.
		...callbacks,
	};
}

/** Someone else may have answered meanwhile. */
async function explain(
	{ kickoffId }: ExecutionView,
	question: QuestionView,
	problem: ApiProblem,
): Promise<string> {
	if (problem.status === 0 || problem.status === 401) return problem.message;
	try {
		const now = await get<ExecutionView>(withQuery('page/execution', { id: kickoffId }));
		const same = now.questions.find(({ id }) => id === question.id);
		return same?.answer ? `Someone else answered first. ${said(same)}` : problem.message;
	} catch {
		return problem.message;
	}
}

function Earlier({ earlier, question }: { earlier: QuestionView[]; question: QuestionView }) {
	const last = earlier.at(-1);
	if (!last) return null;
	return (
		<details class="earlier">
			<summary>{plural(earlier.length, 'earlier answer')}, and what has changed since</summary>
			<ol>
				{earlier.map((one) => (
					<li key={one.id}>{said(one)}</li>
				))}
			</ol>
			<Difference before={last.output.text} after={question.output.text} />
		</details>
	);
}

/** What has changed between two attempts. */
function Difference({ before, after }: { before: string; after: string }) {
	const [isShown, setIsShown] = useState(false);
	useEffect(() => {
		setIsShown(before.length + after.length <= COMPARED);
	}, [before, after]);
	const parts = useMemo(() => {
		if (!isShown) return [];
		const isFine = before.length + after.length <= FINE;
		return isFine ? diffWordsWithSpace(before, after) : diffLines(before, after);
	}, [before, after, isShown]);
	return (
		<pre class="difference" tabIndex={0} aria-label="What changed">
			{parts.map(({ added, removed, value }, index) =>
				added ? (
					<ins key={index}>{value}</ins>
				) : removed ? (
					<del key={index}>{value}</del>
				) : (
					<span key={index}>{value}</span>
				),
			)}
		</pre>
	);
}
