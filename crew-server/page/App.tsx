import { useEffect, useState } from 'preact/hooks';

import { ApiProblem, forgetToken, get, keepToken, takeToken } from './api';
import { addressOf, useRoute, type Route } from './route';
import { Connect } from './views/Connect';
import { Execution } from './views/Execution';
import { Executions } from './views/Executions';
import { Requests } from './views/Requests';
import { SignIn } from './views/SignIn';
import { Start } from './views/Start';
import type { CrewView } from './wire';

/** Milliseconds between two checks whether the crew server is there. */
const LOOK = 3_000;

type Session =
	| { state: 'connecting' }
	| { state: 'no_token'; reason: string }
	| { state: 'away'; crew?: CrewView }
	| { state: 'live'; crew: CrewView };

export function App() {
	const [token, setToken] = useState(takeToken);
	const session = useSession(token, setToken);
	const route = useRoute();
	const crew = 'crew' in session ? session.crew : undefined;
	useEffect(() => {
		document.title = crew ? `${crew.name} · crew server` : 'Crew server';
	}, [crew?.name]);
	return (
		<>
			<Header session={session} crew={crew} route={route} />
			{session.state === 'no_token' ? (
				<SignIn
					reason={session.reason}
					onToken={(given) => {
						keepToken(given);
						setToken(given);
					}}
				/>
			) : (
				crew && <View route={route} crew={crew} />
			)}
		</>
	);
}

function useSession(token: string | undefined, setToken: (token: undefined) => void): Session {
	const [session, setSession] = useState<Session>({ state: 'connecting' });
	useEffect(() => {
		if (token === undefined) {
			setSession((before) =>
				before.state === 'no_token'
					? before
					: { state: 'no_token', reason: 'Find it in the terminal where you started the server.' },
			);
			return undefined;
		}
		const look = async () => {
			try {
				setSession({ state: 'live', crew: await get<CrewView>('page/crew') });
			} catch (error) {
				if (error instanceof ApiProblem && error.status === 401) {
					forgetToken();
					setSession({
						state: 'no_token',
						reason: 'That is not an access token of this crew server.',
					});
					setToken(undefined);
				} else {
					setSession((before) => ({
						state: 'away',
						crew: 'crew' in before ? before.crew : undefined,
					}));
				}
			}
		};
		void look();
		const timer = setInterval(() => {
			if (!document.hidden) void look();
		}, LOOK);
		return () => {
			clearInterval(timer);
		};
	}, [token]);
	return session;
}

const CONNECTION = {
	connecting: 'Connecting …',
	no_token: 'Signed out',
	away: 'The crew server does not answer; trying again …',
	live: 'Live',
};

function Header({ session, crew, route }: { session: Session; crew?: CrewView; route: Route }) {
	const link = (to: Route, text: string, views: ReadonlyArray<Route['view']>) => (
		<a href={addressOf(to)} aria-current={views.includes(route.view) ? 'page' : undefined}>
			{text}
		</a>
	);
	return (
		<header class="top">
			<p class="crew-name">{crew?.name ?? 'Crew server'}</p>
			{crew && (
				<nav aria-label="Views">
					{link({ view: 'executions' }, 'Executions', ['executions', 'execution'])}
					{link({ view: 'connect' }, 'Connect', ['connect', 'reference'])}
					{crew.hasRequests && link({ view: 'requests' }, 'Requests', ['requests'])}
				</nav>
			)}
			<p class="connection" role="status" data-state={session.state}>
				{CONNECTION[session.state]}
			</p>
			{crew && (
				<a class="button primary" href={addressOf({ view: 'start' })}>
					Start
				</a>
			)}
		</header>
	);
}

function View({ route, crew }: { route: Route; crew: CrewView }) {
	switch (route.view) {
		case 'executions':
			return <Executions crew={crew} />;
		case 'start':
			return <Start key={route.from} crew={crew} from={route.from} />;
		case 'execution':
			return <Execution key={route.id} id={route.id} tab={route.tab} />;
		case 'connect':
		case 'reference':
			return <Connect crew={crew} isReference={route.view === 'reference'} />;
		case 'requests':
			return <Requests />;
	}
}
