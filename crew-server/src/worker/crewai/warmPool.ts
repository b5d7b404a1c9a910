import type { Child, Children } from './children';

/** Keeps a child ready that has built the crew, so that a kickoff need not wait for it. */
export class WarmPool {
	private spare: Child | undefined;

	/** @param buildsEarly whether building the crew starts nothing, so that a child may do it before it is needed */
	constructor(
		private readonly children: Children,
		private readonly buildsEarly: boolean,
	) {}

	/** Makes a child get ready, unless one is. */
	fill(): void {
		if (this.spare) return;
		const child = this.children.start();
		if (this.buildsEarly) child.send({ type: 'build' });
		this.spare = child;
		void child.exited.then(() => {
			// It is not made again at once: what has ended it may end the next one, too.
			if (this.spare === child) this.spare = undefined;
		});
	}

	/** The child that is ready, or one that has to get ready first. */
	take(): Child {
		const { spare } = this;
		this.spare = undefined;
		return spare && !spare.isLost ? spare : this.children.start();
	}
}
