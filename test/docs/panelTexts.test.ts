import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Crew } from '../../nodes/Crew/Crew.node';
import { repositoryFolder } from '../../sandbox/src/paths';
import {
	allTexts,
	blameIn,
	choices,
	fields,
	nodeTexts,
	notices,
	type Choice,
	type Field,
} from './support/panelTexts';

/** n8n's UX guidelines for the panel; docs/reports/guidelines.md names these tests. */

/** Words that are lowercase in Title Case by n8n's linter, unless they are first or last. */
const SMALL_WORDS = /^(a|an|and|as|at|by|for|in|of|on|or|the|to)$/;
const SENTENCE_END = /[.!?](?= [A-Z]|$)/g;

/** Fields whose choices need no explanation. */
const SPEAK_FOR_THEMSELVES = ['resumeUnit', 'streamEvents', 'eventTypes'];

const named = <T extends { path: string }>(each: T[]) =>
	each.map((one) => [one.path, one] as const);
const isShown = ({ property }: Field) => property.type !== 'notice';
const isCollection = ({ property }: Field) => property.type === 'collection';
/** n8n's own names, which need no description. */
const isStandard = (field: Field) => isCollection(field) || field.property.name === 'operation';
const isApiWord = ({ parameter }: Choice) => /events|eventTypes/i.test(parameter);

function isTitleCase(text: string): boolean {
	const words = text.replaceAll(/[()]/g, '').split(' ');
	return words.every((word, index) => {
		const isInner = index > 0 && index < words.length - 1;
		return isInner && SMALL_WORDS.test(word.toLowerCase())
			? word === word.toLowerCase()
			: /^[A-Z]/.test(word);
	});
}

function expectSentences(text: string | undefined): void {
	expect(text).toMatch(/^[A-Z]/);
	// A single sentence has no period; several sentences have one each.
	const ends = text?.replaceAll('e.g.', '').match(SENTENCE_END) ?? [];
	expect({ text, ends: ends.length }).not.toEqual({ text, ends: 1 });
	if (ends.length > 1) expect(text).toMatch(/[.!?]$/);
}

describe('texts about a node as a whole', () => {
	// n8n adds its own sentences below the message, with periods.
	const isFollowed = (path: string) => path.endsWith('.activationMessage');

	test.each(named([...nodeTexts, ...notices]))('%s is in sentences', (path, { text }) => {
		expectSentences(isFollowed(path) ? text.replace(/\.$/, '') : text);
	});

	test('every such text is found', () => {
		expect(nodeTexts.map(({ path }) => path)).toEqual([
			'crew.description',
			'crew.waitingNodeTooltip',
			'crewTrigger.description',
			'crewTrigger.eventTriggerDescription',
			'crewTrigger.activationMessage',
			'crewTrigger.triggerPanel.header',
			'crewTrigger.triggerPanel.executionsHelp.inactive',
			'crewTrigger.triggerPanel.executionsHelp.active',
		]);
		expect(notices.map(({ path }) => path)).toEqual(['crewTrigger.notice']);
	});
});

test.each(named(allTexts))('%s has no word of blame', (_path, { text }) => {
	expect(blameIn(text)).toBeUndefined();
});

test('a word of blame is noticed', () => {
	expect(blameIn("Switch off 'Subscribe to Failures' after a failure")).toBe('failure');
});

describe('parameters', () => {
	test.each(named(fields.filter(isShown)))('%s has a name in Title Case', (_path, { property }) => {
		expect([property.displayName, isTitleCase(property.displayName)]).toContain(true);
	});

	test.each(named(fields.filter((field) => isShown(field) && !isStandard(field))))(
		'%s has a description in sentences',
		(_path, { property }) => {
			expectSentences(property.description);
		},
	);

	test.each(named(fields.filter(({ property }) => property.type === 'boolean')))(
		'%s says whether',
		(_path, { property }) => {
			expect(property.description).toMatch(/^Whether /);
		},
	);

	const withExample = fields.filter((field) => field.property.placeholder && !isCollection(field));
	test.each(named(withExample))('%s gives an example', (_path, { property }) => {
		expect(property.placeholder).toMatch(/^e\.g\. \S/);
	});

	const secrets = fields.filter(({ path }) => /^crewApi\..*(token|secret)/i.test(path));
	test.each(named(secrets))('%s is a password', (_path, { property }) => {
		expect(property.typeOptions?.password).toBe(true);
	});

	test('there are fields of each of these sorts', () => {
		expect(withExample.length).toBeGreaterThan(5);
		expect(secrets).toHaveLength(2);
	});
});

test('Simplify is on, with n8n’s words, if there is a whole answer', () => {
	const having = new Crew().description.properties.flatMap(({ name, displayOptions, options }) => {
		const simplify = options?.find((option) => option.name === 'simplify');
		return name === 'options' && simplify ? [{ displayOptions, simplify }] : [];
	});
	const operations = having.flatMap(({ displayOptions }) => displayOptions?.show?.operation ?? []);
	expect(operations.sort()).toEqual(['getStatus', 'kickoff', 'resume']);
	for (const { simplify } of having) {
		expect(simplify).toMatchObject({
			displayName: 'Simplify',
			type: 'boolean',
			default: true,
			description: 'Whether to return a simplified version of the response instead of the raw data',
		});
	}
});

describe('what can be chosen', () => {
	test.each(named(choices.filter((choice) => !isApiWord(choice))))(
		'%s has a name in Title Case',
		(_path, { option }) => {
			expect([option.name, isTitleCase(option.name)]).toContain(true);
		},
	);

	const inNeed = choices.filter(({ parameter }) => !SPEAK_FOR_THEMSELVES.includes(parameter));
	test.each(named(inNeed))('%s has a description in sentences', (_path, { option }) => {
		expectSentences(option.description);
	});

	const operations = choices.filter(({ parameter }) => parameter === 'operation');
	test.each(named(operations))('%s has an action without articles', (_path, { option }) => {
		expect(option.action).toMatch(/^[A-Z][a-z ]+$/);
		expect(option.action).not.toMatch(/ (a|an|the) /);
	});

	test.each(named(operations))('%s names its resource', (_path, { option }) => {
		expect(option.description).toMatch(/\b(crew|execution)\b/);
		expect(option.action).toMatch(/ (crew|execution)$/);
	});

	test('stands in alphabetical order', () => {
		expect(operations.map(({ option }) => option.name)).toEqual(
			operations.map(({ option }) => option.name).sort(),
		);
	});
});

describe('no field is useless', () => {
	const code = readdirSync(join(repositoryFolder, 'nodes'), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => readFileSync(join(repositoryFolder, 'nodes', name), 'utf8'))
		.join('\n')
		// The description of a field does not count as reading it.
		.replaceAll(/\bname: '\w+',/g, '');

	test.each(named(fields.filter(isShown)))('%s is read', (_path, { property: { name } }) => {
		// As a parameter, 'name' or 'options.name', or as a member of an object that was read as a whole.
		expect(code).toMatch(new RegExp(`['.]${name}'|\\.${name}\\b`));
	});

	const shown = new Crew().description.properties.filter(({ displayOptions }) => displayOptions);
	test.each(shown.map((property) => [property.name, property] as const))(
		'%s can be seen',
		(_name, { displayOptions }) => {
			for (const [name, values] of Object.entries(displayOptions?.show ?? {})) {
				const deciding = fields.filter(({ path }) => path === `crew.${name}`);
				const possible = deciding.flatMap(({ property }) =>
					property.type === 'boolean'
						? [true, false]
						: (property.options ?? []).map((option) => 'value' in option && option.value),
				);
				expect(possible).toEqual(expect.arrayContaining(values ?? []));
			}
		},
	);
});
