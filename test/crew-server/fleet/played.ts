import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { LEASE_TIME } from '../../../crew-server/src/store/store';
import type { Work } from './work';

/** Milliseconds that each task takes. */
const TASK = 300;
/**
 * How many executions run at once at one server, and at all of them: three servers have room for more than the
 * fleet's limit.
 */
const PARALLEL = 3;
const FLEET_PARALLEL = 8;

const TASKS = ['one', 'two', 'asks', 'four'];

const CREW = `name: fleet
description: Tasks that take some time, and a question.
inputs:
  - name: topic
    type: string
    required: true
    description: What it is about
tasks:
${TASKS.map(
	(name) => `  - name: ${name}
    description: Work on {topic}
    expected_output: A text
    agent: Writer
    duration: ${TASK}
    output: ${name} is done
    human_input: ${name === 'asks'}
`,
).join('')}`;

/** The work of a fleet that plays its crew: many executions in a short time. */
export function playedWork(folder: string): Work {
	const crew = join(folder, 'crew.yaml');
	writeFileSync(crew, CREW);
	return {
		fleet: {
			...{ crew, options: [], env: { FLEET_ROOM: String(PARALLEL) } },
			fleetParallel: FLEET_PARALLEL,
		},
		round: {
			inputs: (topic) => ({ topic }),
			asks: 'asks',
			promised: {
				tasks: TASKS,
				// One callback for each task, one for the question, and one for the end.
				callbacks: TASKS.length + 2,
				parallel: PARALLEL,
				fleetParallel: FLEET_PARALLEL,
				stopTakes: LEASE_TIME,
			},
		},
		close: () => Promise.resolve(),
	};
}
