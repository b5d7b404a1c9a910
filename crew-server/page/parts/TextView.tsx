import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { get, withQuery, type ApiProblem } from '../api';
import { count } from '../format';
import type { ShownText } from '../wire';
import { CopyButton } from './CopyButton';
import { JsonTree } from './JsonTree';
import { elementsOf } from './markdown';

/** Characters of the longest text that is rendered without being asked. */
const LONGEST = 300_000;

interface TextViewProps {
	/** The text's name, for buttons and for the file. */
	name: string;
	shown: ShownText;
	/** Where the whole text is, if this one was cut. */
	id?: string;
	of?: string;
}

/** A text of the crew: as Markdown, or as a tree if it is JSON, with its source on demand, to copy and to download. */
export function TextView({ name, shown, id, of }: TextViewProps) {
	const [whole, setWhole] = useState<string>();
	const [problem, setProblem] = useState('');
	useEffect(() => {
		setWhole(undefined);
	}, [shown.text, shown.of]);
	const text = whole ?? shown.text;
	const isCut = shown.of !== undefined && whole === undefined;
	const json = useMemo(() => (isCut ? undefined : parsed(text)), [text, isCut]);
	const [isSource, setIsSource] = useState(false);
	const load = async () => {
		if (!isCut || id === undefined || of === undefined) return text;
		const answer = await get<{ text: string }>(withQuery('page/text', { id, of }));
		setWhole(answer.text);
		return answer.text;
	};
	const showAll = () => {
		load().then(
			() => {
				setProblem('');
			},
			(error: unknown) => {
				setProblem((error as ApiProblem).message);
			},
		);
	};
	const isPlain = isSource || text.length > LONGEST;
	return (
		<div class="text">
			<div class="text-bar">
				<label class="switch">
					<input
						type="checkbox"
						checked={isSource}
						onChange={({ currentTarget }) => {
							setIsSource(currentTarget.checked);
						}}
					/>
					Source
				</label>
				<CopyButton text={load} name={name} />
				<button
					type="button"
					class="quiet"
					aria-label={`Download ${name}`}
					onClick={() =>
						void load().then((all) => {
							download(name, all, json !== undefined);
						})
					}
				>
					Download
				</button>
			</div>
			{isPlain ? (
				<pre tabIndex={0}>{text}</pre>
			) : json === undefined ? (
				<Markdown text={text} />
			) : (
				<JsonTree value={json} />
			)}
			{isCut && (
				<p class="faint">
					The first {count(shown.text.length)} of {count(shown.of ?? 0)} characters.{' '}
					<button type="button" class="quiet" onClick={showAll}>
						Show all
					</button>
				</p>
			)}
			{problem && <p role="alert">{problem}</p>}
		</div>
	);
}

function Markdown({ text }: { text: string }) {
	const place = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		place.current?.replaceChildren(elementsOf(text));
	}, [text]);
	return <div class="markdown" ref={place} />;
}

function parsed(text: string): unknown {
	if (!/^\s*[[{]/.test(text)) return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function download(name: string, text: string, isJson: boolean): void {
	const link = document.createElement('a');
	link.href = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
	link.download = `${name.replaceAll(/[^\w-]+/g, '_')}.${isJson ? 'json' : 'md'}`;
	link.click();
	URL.revokeObjectURL(link.href);
}
