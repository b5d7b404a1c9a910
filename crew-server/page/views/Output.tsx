import { duration, TASK_WORDS } from '../format';
import { Badge } from '../parts/Badge';
import { TextView } from '../parts/TextView';
import type { ExecutionView, TaskView } from '../wire';

/** The result, and each task's output. */
export function Output({ execution }: { execution: ExecutionView }) {
	const { kickoffId, result, tasks } = execution;
	const begun = tasks.filter(({ state, output }) => output !== undefined || state !== 'waiting');
	const none =
		execution.finishedAt === undefined ? 'There is no output yet.' : 'There is no output.';
	if (begun.length === 0) return <p class="empty">{none}</p>;
	return (
		<div class="outputs">
			{result && (
				<section class="card" aria-labelledby="result">
					<h2 id="result">Result</h2>
					<TextView name="result" shown={result} id={kickoffId} of="result" />
				</section>
			)}
			{begun.map((task) => (
				<TaskOutput
					key={task.taskId}
					id={kickoffId}
					task={task}
					isOpen={result === undefined}
					none={none}
				/>
			))}
		</div>
	);
}

interface TaskOutputProps {
	id: string;
	task: TaskView;
	isOpen: boolean;
	/** What is shown instead if there is none. */
	none: string;
}

function TaskOutput({ id, task, isOpen, none }: TaskOutputProps) {
	const { taskId, agent, state, attempts, output, startedAt, finishedAt } = task;
	return (
		<details class="entry" open={isOpen}>
			<summary>
				<Badge state={state} word={TASK_WORDS[state]} />
				<strong>{taskId}</strong>
				<span class="faint grow">
					{agent}
					{attempts > 1 ? ` · attempt ${attempts}` : ''}
				</span>
				{startedAt !== undefined && finishedAt !== undefined && (
					<span class="faint">{duration(finishedAt - startedAt)}</span>
				)}
			</summary>
			{output ? (
				<TextView name={taskId} shown={output} id={id} of={`output:${taskId}`} />
			) : (
				<p class="faint">{none}</p>
			)}
		</details>
	);
}
