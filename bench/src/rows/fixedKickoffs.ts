import type { Row } from '../row';
import { crew, crewAtOnce } from '../sides/kickoffs';

/** The yardstick of `nodes/Crew/pacing`: a fixed number with `Retry-After` honored. */
export const fixedKickoffs: Row = {
	name: 'fixed-kickoffs',
	what: (size) =>
		`${size} kickoffs, crew answers after 200 ms, 429 beyond 20 at once, and three times with Retry-After`,
	unit: 'ms',
	start: 'cold',
	ours: crew(),
	beside: crewAtOnce(10),
	target: { most: 0.75 },
	size: 500,
	latency: 200,
	faults: ['429-beyond=20@kickoff', '429=1@kickoff+50*3'],
};
