import fc, { type Arbitrary } from 'fast-check';
import { deepJson, NAMES, strangeJson } from './strange';

/** One change of a document: the place, as a number modulo the number of places, and the change. */
interface Mutation {
	place: number;
	change: 'remove' | 'rename' | 'repeat' | 'replace' | 'stringify' | 'wrap';
	name: string;
	value: unknown;
}

const mutation: Arbitrary<Mutation> = fc.record({
	place: fc.nat(),
	change: fc.constantFrom('remove', 'rename', 'repeat', 'replace', 'stringify', 'wrap'),
	name: fc.constantFrom(...NAMES, '__proto__', 'constructor'),
	value: fc.oneof({ weight: 300, arbitrary: strangeJson }, { weight: 1, arbitrary: deepJson }),
});

/** One of `documents`, changed in up to four places, or anything at all. */
export function mutated(documents: readonly unknown[]): Arbitrary<unknown> {
	const changed = fc
		.tuple(fc.constantFrom(...documents), fc.array(mutation, { maxLength: 4 }))
		.map(([document, mutations]) => mutations.reduce(change, structuredClone(document)));
	return fc.oneof(
		{ weight: 60, arbitrary: changed },
		{ weight: 40, arbitrary: strangeJson },
		{ weight: 2, arbitrary: deepJson },
	);
}

type Container = Record<string, unknown>;

/** All places of values: container and key. The root is wrapped, so that it can be changed, too. */
function places(root: Container): Array<readonly [Container, string]> {
	const found: Array<readonly [Container, string]> = [];
	const open: Container[] = [root];
	// A replaced value may be very deep: the first places are enough.
	for (let next = open.shift(); next && found.length < 200; next = open.shift()) {
		for (const [key, value] of Object.entries(next)) {
			found.push([next, key]);
			if (typeof value === 'object' && value !== null) open.push(value as Container);
		}
	}
	return found;
}

function change(document: unknown, { place, change: kind, name, value }: Mutation): unknown {
	const root: Container = { document };
	const all = places(root);
	const [container, key] = all[place % all.length]!;
	const old = container[key];
	const put = (at: string, what: unknown) => {
		// JSON has no lists with names.
		if (Array.isArray(container) && at !== key) {
			container.push(what);
			return;
		}
		const property = { value: what, configurable: true, enumerable: true, writable: true };
		Object.defineProperty(container, at, property);
	};
	if (kind === 'remove' || kind === 'rename') remove(container, key);
	if (kind === 'rename') put(name, old);
	if (kind === 'repeat') put(key, [old, old]);
	if (kind === 'replace') put(key, value);
	if (kind === 'stringify') put(key, toText(old));
	if (kind === 'wrap') put(key, Object.fromEntries([[name, old]]));
	return root.document;
}

/** JSON has no lists with gaps. */
function remove(container: Container, key: string): void {
	if (Array.isArray(container)) container.splice(Number(key), 1);
	else Reflect.deleteProperty(container, key);
}

function toText(value: unknown): unknown {
	try {
		return JSON.stringify(value);
	} catch {
		return 'too deep to be written';
	}
}
