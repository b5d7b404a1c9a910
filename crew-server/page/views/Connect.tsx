import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { token } from '../api';
import { CopyButton } from '../parts/CopyButton';
import { addressOf } from '../route';
import type { CrewView } from '../wire';

/** The page's address without its last part: the base URL of the API. */
const baseUrl = () => new URL('.', location.href).href.replace(/\/$/, '');

/** How clients reach the crew. */
export function Connect({ crew, isReference }: { crew: CrewView; isReference: boolean }) {
	if (isReference) return <LoadedReference />;
	const url = baseUrl();
	const curl = `curl --fail-with-body ${url}/inputs -H 'Authorization: Bearer ${token()}'`;
	return (
		<main class="narrow">
			<h1>Connect</h1>
			<section class="card" aria-labelledby="address">
				<h2 id="address">Address and token</h2>
				<Given label="Base URL" text={url} />
				<Given
					label={crew.owner === 'user' ? 'User access token' : 'Access token'}
					text={token()}
					isSecret
				/>
				<p class="faint">
					{crew.owner === 'user'
						? 'With the user access token, a client can access only what was started with it.'
						: 'With this token, a client can access everything.'}
				</p>
			</section>
			<section class="card" aria-labelledby="curl">
				<h2 id="curl">From a terminal</h2>
				<p>List the inputs that the crew expects:</p>
				<pre tabIndex={0}>{curl.replace(token(), '••••••')}</pre>
				<CopyButton text={curl} name="the line for curl" />
			</section>
			<section class="card" aria-labelledby="n8n">
				<h2 id="n8n">From n8n</h2>
				<p>In n8n, create a credential of the type Crew API:</p>
				<dl>
					<dt>Base URL</dt>
					<dd>
						The base URL above. If n8n runs in a container on this machine, start the server with{' '}
						<code>--host 0.0.0.0</code>, and enter{' '}
						<code>{url.replace(/\/\/(localhost|127\.0\.0\.1)/, '//host.docker.internal')}</code>
					</dd>
					<dt>Access Token</dt>
					<dd>The token above</dd>
				</dl>
			</section>
			<section class="card" aria-labelledby="api">
				<h2 id="api">The API</h2>
				<p>
					<a href={addressOf({ view: 'reference' })}>API reference</a>, made from{' '}
					<a href="openapi.json">openapi.json</a>
				</p>
			</section>
		</main>
	);
}

function Given({ label, text, isSecret }: { label: string; text: string; isSecret?: boolean }) {
	const [isShown, setIsShown] = useState(false);
	return (
		<div class="given">
			<span>{label}</span>
			<code>{isSecret && !isShown ? '••••••••••••' : text}</code>
			<span class="given-buttons">
				{isSecret && (
					<button
						type="button"
						class="quiet"
						aria-pressed={isShown}
						onClick={() => {
							setIsShown(!isShown);
						}}
					>
						Show
					</button>
				)}
				<CopyButton text={text} name={label} />
			</span>
		</div>
	);
}

/** Loads the reference only if someone reads it. */
function LoadedReference() {
	const [Reference, setReference] = useState<ComponentType>();
	const [isAway, setIsAway] = useState(false);
	useEffect(() => {
		import('../reference/Reference').then(
			(loaded) => {
				setReference(() => loaded.Reference);
			},
			() => {
				setIsAway(true);
			},
		);
	}, []);
	return (
		<main class="narrow">
			<p>
				<a href={addressOf({ view: 'connect' })}>← Connect</a>
			</p>
			<h1>API reference</h1>
			{Reference && <Reference />}
			{isAway && <p role="alert">It could not be loaded. Reload the page.</p>}
		</main>
	);
}
