/* global sessionStorage */
import { element, put } from './elements.js';

let lastId = 0;

/** A form that approves or rejects a task's output through the API's own `POST /resume`. */
export function reviewForm(execution, task) {
	const id = `feedback-${(lastId += 1)}`;
	const feedback = element('textarea', { id, rows: '3', required: '' });
	const keep = element('input', { type: 'checkbox', checked: '' });
	const note = element('p', { role: 'alert' });
	const form = element('form', { class: 'review' }, [
		element('label', { for: id }, `Your feedback on the output of ${task.taskId}`),
		feedback,
		element('label', {}, [keep, ' Keep calling the same callback URLs']),
		element('div', { class: 'buttons' }, [
			element('button', { value: 'approve' }, 'Approve'),
			element('button', { value: 'reject' }, 'Reject and retry'),
		]),
		note,
	]);
	form.addEventListener('submit', async (event) => {
		event.preventDefault();
		const answer = {
			execution_id: execution.kickoffId,
			task_id: task.taskId,
			human_feedback: feedback.value,
			// The names that the vendor's platform asks for.
			executionId: execution.kickoffId,
			taskId: task.taskId,
			is_approve: event.submitter?.value !== 'reject',
			// The API no longer calls what a resume does not name again.
			...(keep.checked ? execution.callbacks : {}),
		};
		put(note, await send(answer));
	});
	return form;
}

/** @returns what went wrong, or an empty text */
async function send(answer) {
	try {
		const response = await fetch('resume', {
			method: 'POST',
			headers: {
				authorization: `Bearer ${sessionStorage.getItem('token')}`,
				'content-type': 'application/json',
			},
			body: JSON.stringify(answer),
		});
		if (response.ok) return '';
		return `The crew answered ${response.status}: ${await response.text()}`;
	} catch {
		return 'The crew does not answer; try again.';
	}
}
