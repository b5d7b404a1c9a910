import type { Child, Children } from './children';

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

	/** The ready child, or a new one that is not ready yet. The next one is prepared at once. */
	take(): Child {
		const { spare } = this;
		this.fill();
		return spare && !spare.isLost ? spare : this.children.start();
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
