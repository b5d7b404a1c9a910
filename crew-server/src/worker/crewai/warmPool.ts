import { setTimeout as sleep } from 'node:timers/promises';

import type { Child, Children } from './children';

/** Milliseconds after which work counts as under way, even if it calls no model. */
const LONGEST_START = 1_000;

/** Keeps a child ready that has built the crew, so that a kickoff does not have to wait. */
export class WarmPool {
	private spare: Child | undefined;

	/** @param buildsEarly whether building the crew has no side effects, so that a child can do it in advance */
	constructor(
		private readonly children: Children,
		private readonly buildsEarly: boolean,
	) {
		this.fill();
	}

	/** The ready child, or a new one. The next one is prepared once this one is under way, so that they do not compete. */
	take(): Child {
		const { spare } = this;
		this.spare = undefined;
		const child = spare && !spare.isLost ? spare : this.children.start();
		const soon = sleep(LONGEST_START, undefined, { ref: false });
		void Promise.race([child.underWay, soon]).then(() => {
			if (!this.spare) this.fill();
		});
		return child;
	}

	private fill(): void {
		const child = this.children.start();
		if (this.buildsEarly) child.send({ type: 'build' });
		this.spare = child;
		void child.exited.then(() => {
			// It is not replaced at once: whatever ended it may end the next one, too.
			if (this.spare === child) this.spare = undefined;
		});
	}
}
