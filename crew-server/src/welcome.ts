import type { CrewDescription, CrewInput } from './domain/crew';
import type { CrewServer } from './crewServer';

/** What people need to know about a running crew, with its tokens. */
export function welcome(
	{ crew, url, accessToken, userAccessToken }: CrewServer,
	{ keptIn, statusFirst }: { keptIn?: string; statusFirst: boolean },
): string {
	const token = `-H ${quote(`Authorization: Bearer ${accessToken}`)}`;
	const status = statusFirst ? 'status/KICKOFF_ID' : 'KICKOFF_ID/status';
	return `The crew "${crew.name}" is running.

  URL                ${url}
  Access token       ${accessToken}
  User access token  ${userAccessToken}
  Page               ${url}/#token=${encodeURIComponent(accessToken)}
  Data               ${keptIn ?? 'in memory only'}

${describe(crew)}

To try it, fill in your inputs, then the kickoff_id from the answer:

  curl --fail-with-body ${url}/kickoff ${token} -H 'Content-Type: application/json' -d ${quote(kickoffOf(crew))}

  curl --fail-with-body ${url}/${status} ${token}

Press Ctrl-C to stop it.`;
}

/** What the crew is, for the person who started it. */
function describe({ kind, inputs, tasks }: CrewDescription): string {
	const names = inputs.map(({ name, required }) => (required ? name : `${name} (optional)`));
	const width = Math.max(...tasks.map(({ name }) => name.length));
	return [
		`  Kind               ${kind ?? 'played texts, without a model'}`,
		`  Inputs             ${names.join(', ') || 'none'}`,
		'  Tasks',
		...tasks.map(
			({ name, agent, humanInput }) =>
				`    ${name.padEnd(width)}  ${agent}${humanInput ? ' (asks for approval)' : ''}`,
		),
	].join('\n');
}

function kickoffOf({ inputs }: CrewDescription): string {
	const required = inputs.filter((input) => input.required);
	return JSON.stringify({
		inputs: Object.fromEntries(required.map((one) => [one.name, sampleOf(one)])),
	});
}

/** A sample value for an input. */
function sampleOf({ name, type }: CrewInput): unknown {
	const year = /year/i.test(name) ? new Date().getFullYear() : undefined;
	const samples = { integer: year ?? 1, number: year ?? 1, boolean: true, array: [], object: {} };
	return type === 'string' ? String(year ?? `your ${name.replaceAll('_', ' ')}`) : samples[type];
}

/** Quotes a text for a shell. */
function quote(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
