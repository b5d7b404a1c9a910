import { useEffect, useRef } from 'preact/hooks';

/** Asks for the token, which is kept only while the window is open. */
export function SignIn({ reason, onToken }: { reason: string; onToken: (token: string) => void }) {
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => {
		input.current?.focus();
	}, []);
	return (
		<main class="narrow">
			<h1>Sign in</h1>
			<form
				class="card"
				onSubmit={(event) => {
					event.preventDefault();
					const given = input.current?.value.trim() ?? '';
					if (given !== '') onToken(given);
				}}
			>
				<label for="token">Access token</label>
				<input
					id="token"
					ref={input}
					type="password"
					autocomplete="off"
					required
					aria-describedby="token-reason"
				/>
				<p id="token-reason" role="status">
					{reason}
				</p>
				<button class="primary">Show the crew</button>
			</form>
		</main>
	);
}
