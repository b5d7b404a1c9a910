import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { duration } from '../format';
import { useWidth } from '../parts/useWidth';
import { Scale } from './scale';
import { KIND_WORDS } from './SpanDetails';
import type { Lane, Span } from './spans';

/** Pixels of the widest picture. */
const WIDEST = 60_000;
/** Pixels that bars must be apart to be drawn separately. */
const APART = 3;
/** Pixels beyond the visible part in which bars are already drawn. */
const AHEAD = 300;

interface ChartProps {
	lanes: readonly Lane[];
	spans: readonly Span[];
	version: number;
	from: number;
	to: number;
	isLive: boolean;
	chosen?: Span;
	onChoose: (span: Span) => void;
}

/** Bars in rows over time. The arrow keys go from bar to bar. */
export function Chart({ lanes, spans, version, from, to, isLive, chosen, onChoose }: ChartProps) {
	const scale = useMemo(() => new Scale(spans, from, to), [version, from, to]);
	const [place, visible] = useWidth();
	const [scrolled, setScrolled] = useState(0);
	const { zoom, width, zoomTo } = useZoom(place, visible);
	const seen = { left: scrolled - AHEAD, right: scrolled + visible + AHEAD };
	const zoomIn = () => {
		zoomTo(zoom * 4);
	};
	return (
		<div class="chart">
			<div class="chart-bar">
				<Legend spans={spans} version={version} />
				<ZoomButtons zoom={zoom} isWidest={width >= WIDEST} zoomTo={zoomTo} />
			</div>
			<div class="chart-body">
				<LaneTitles lanes={lanes} />
				<div
					class="tracks"
					ref={place}
					role="group"
					aria-label="Timeline"
					onScroll={({ currentTarget }) => {
						setScrolled(currentTarget.scrollLeft);
					}}
					onKeyDown={moveFocus}
				>
					<div class="canvas" style={{ width: `${width}px` }}>
						<Axis scale={scale} from={from} to={to} width={width} />
						{lanes.map(({ key, kind, spans: own }) => (
							<div key={key} class={`lane ${kind}`}>
								{barsIn(own, scale, width, to, seen).map((bar) => (
									<Bar
										key={bar.span.id}
										bar={bar}
										isChosen={bar.span === chosen}
										isLive={isLive}
										to={to}
										onChoose={bar.more > 0 ? zoomIn : onChoose}
									/>
								))}
							</div>
						))}
					</div>
				</div>
			</div>
		</div>
	);
}

/** How wide the picture is; the middle of the visible part stays in place. */
function useZoom(place: { current: HTMLDivElement | null }, visible: number) {
	const [zoom, setZoom] = useState(1);
	const width = Math.min(WIDEST, Math.max(1, visible * zoom));
	const middle = useRef(0);
	useLayoutEffect(() => {
		if (place.current) place.current.scrollLeft = middle.current * width - visible / 2;
	}, [zoom]);
	const zoomTo = (wanted: number) => {
		if (place.current) middle.current = (place.current.scrollLeft + visible / 2) / width;
		setZoom(Math.max(1, Math.min(wanted, WIDEST / Math.max(1, visible))));
	};
	return { zoom, width, zoomTo };
}

interface ZoomProps {
	zoom: number;
	isWidest: boolean;
	zoomTo: (zoom: number) => void;
}

function ZoomButtons({ zoom, isWidest, zoomTo }: ZoomProps) {
	const button = (text: string, label: string, to: number, disabled: boolean) => (
		<button
			type="button"
			class="quiet"
			aria-label={label}
			disabled={disabled}
			onClick={() => {
				zoomTo(to);
			}}
		>
			{text}
		</button>
	);
	return (
		<div class="zoom" role="group" aria-label="Zoom">
			{button('−', 'Zoom out', zoom / 2, zoom <= 1)}
			{button('+', 'Zoom in', zoom * 2, isWidest)}
			{button('Fit', 'Fit all', 1, zoom === 1)}
		</div>
	);
}

function LaneTitles({ lanes }: { lanes: readonly Lane[] }) {
	return (
		<div class="lane-titles">
			<div class="axis" />
			{lanes.map(({ key, kind, title, depth }) => (
				<div key={key} class={`lane-title ${kind}`} data-depth={depth} title={title}>
					<span class="clip">{title}</span>
				</div>
			))}
		</div>
	);
}

interface BarPlace {
	span: Span;
	left: number;
	width: number;
	/** How many other bars it stands for, which are too close to be drawn. */
	more: number;
}

/** The visible bars of a lane; bars that are too close to each other share one. */
function barsIn(
	spans: readonly Span[],
	scale: Scale,
	width: number,
	to: number,
	seen: { left: number; right: number },
): BarPlace[] {
	const bars: BarPlace[] = [];
	for (const span of spans) {
		const left = scale.place(span.from) * width;
		const right = scale.place(span.to ?? to) * width;
		if (right < seen.left) continue;
		if (left > seen.right) break;
		const last = bars.at(-1);
		const isSmall = right - left < APART;
		if (
			last &&
			isSmall &&
			left - (last.left + last.width) < APART &&
			(last.more > 0 || last.width < 2 * APART)
		) {
			last.more += 1;
			last.width = Math.max(last.width, right - last.left);
			continue;
		}
		bars.push({ span, left, width: Math.max(APART, right - left), more: 0 });
	}
	return bars;
}

function Bar({
	bar,
	isChosen,
	isLive,
	to,
	onChoose,
}: {
	bar: BarPlace;
	isChosen: boolean;
	isLive: boolean;
	to: number;
	onChoose: (span: Span) => void;
}) {
	const { span, left, width, more } = bar;
	const { kind, name, hasFailed } = span;
	const isOpen = span.to === undefined;
	const took = isOpen && !isLive ? 'no end told' : duration((span.to ?? to) - span.from);
	const label =
		more > 0
			? `${more + 1} steps here, zoom in`
			: `${[KIND_WORDS[kind], name].filter(Boolean).join(' ')}${hasFailed ? ' failed' : ''}, ${took}`;
	return (
		<button
			type="button"
			class="bar"
			data-kind={kind}
			data-failed={hasFailed || undefined}
			data-open={(isOpen && isLive) || undefined}
			data-untold={(isOpen && !isLive) || undefined}
			data-more={more > 0 || undefined}
			aria-pressed={isChosen}
			aria-label={label}
			title={label}
			style={{ left: `${left}px`, width: `${width}px` }}
			onClick={() => {
				onChoose(span);
			}}
		>
			{width > 46 && (
				<span>{more > 0 ? `${more + 1} steps` : kind === 'question' ? 'Question' : name}</span>
			)}
		</button>
	);
}

function Axis({
	scale,
	from,
	to,
	width,
}: {
	scale: Scale;
	from: number;
	to: number;
	width: number;
}) {
	const marks = Math.max(2, Math.min(200, Math.floor(width / 140)));
	const step = niceStep((to - from) / marks);
	const ticks = [];
	let last = -Infinity;
	for (let at = 0; from + at <= to && ticks.length < 400; at += step) {
		const left = scale.place(from + at) * width;
		if (left - last < 60) continue;
		last = left;
		ticks.push(
			<span key={at} class="tick" style={{ left: `${left}px` }}>
				{at === 0 ? '0' : duration(at)}
			</span>,
		);
	}
	return (
		<div class="axis" aria-hidden="true">
			{ticks}
			{scale.shortened().map((wait) => (
				<span
					key={wait.from}
					class="wait"
					style={{
						left: `${scale.place(wait.from) * width}px`,
						width: `${(scale.place(wait.to) - scale.place(wait.from)) * width}px`,
					}}
					title={`${duration(wait.to - wait.from)} spent waiting for a person`}
				/>
			))}
		</div>
	);
}

const STEPS = [
	1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000,
];

function niceStep(least: number): number {
	const step = STEPS.find((one) => one >= least);
	return step ?? Math.ceil(least / 60_000) * 60_000;
}

function Legend({ spans, version }: { spans: readonly Span[]; version: number }) {
	const kinds = useMemo(() => [...new Set(spans.map(({ kind }) => kind))], [version]);
	return (
		<ul class="legend" aria-label="Legend">
			{kinds.map((kind) => (
				<li key={kind}>
					<span class="dot" data-kind={kind} /> {KIND_WORDS[kind]}
				</li>
			))}
		</ul>
	);
}

/** Moves to the bar before or after, or in the row above or below. */
function moveFocus(event: KeyboardEvent): void {
	const bar = event.target instanceof HTMLElement ? event.target.closest('.bar') : null;
	const lane = bar?.parentElement;
	if (!bar || !lane) return;
	const beside = { ArrowRight: bar.nextElementSibling, ArrowLeft: bar.previousElementSibling }[
		event.key
	];
	const row = { ArrowDown: lane.nextElementSibling, ArrowUp: lane.previousElementSibling }[
		event.key
	];
	const to = beside ?? row?.querySelector('.bar');
	if (!(to instanceof HTMLElement)) return;
	event.preventDefault();
	to.focus();
}
