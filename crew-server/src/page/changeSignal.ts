/** Tells that something about the deployment has changed; what it is, those who hear it look up. */
export class ChangeSignal {
	private readonly listeners = new Set<() => void>();

	emit(): void {
		for (const listener of this.listeners) listener();
	}

	/** @returns ends the listening */
	listen(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => {
			this.listeners.delete(listener);
		};
	}
}
