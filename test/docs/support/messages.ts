import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** A text that people read if something went wrong, with `…` for what is filled in. */
export interface Message {
	text: string;
	/** `nodes/Crew/api/errors.ts` */
	file: string;
}

/** Stands for what is filled into a message. */
const GAP = '…';

/** Names of properties in the code for what happened. */
const HAPPENED = ['message', 'reason', 'what', 'noFieldsError'];
const TO_DO = ['description', 'advice'];

/** Folders whose texts reach people. */
const FOLDERS = ['nodes', 'credentials'];

/** What happened: the first line of what n8n shows, and what it logs. */
export const messages = collect((node) => {
	if (ts.isNewExpression(node)) return messagesOfError(node);
	if (ts.isCallExpression(node) && (isLog(node) || isErrorOfItem(node)))
		return textsOf(node.arguments[0]);
	if (ts.isArrayLiteralExpression(node) && isMessageWithAdvice(node))
		return textsOf(node.elements[0]);
	if (ts.isReturnStatement(node) && isInFunction(node, /Problem$/)) return textsOf(node.expression);
	return named(node, HAPPENED);
});

/** What to do about it: the longer text below. */
export const advice = collect((node) => {
	if (ts.isCallExpression(node) && isErrorOfItem(node)) return textsOf(node.arguments[1]);
	if (ts.isArrayLiteralExpression(node) && isMessageWithAdvice(node))
		return textsOf(node.elements[1]);
	return named(node, TO_DO);
});

/** What n8n shows with a successful output. */
export const hints = collect((node) =>
	ts.isVariableDeclaration(node) && node.name.getText() === 'HINTS'
		? node.getChildren().flatMap(textsBelow)
		: [],
);

function textsBelow(node: ts.Node): string[] {
	return [...textsOf(node), ...node.getChildren().flatMap(textsBelow)];
}

function collect(find: (node: ts.Node) => string[]): Message[] {
	return sources().flatMap(({ file, source }) => {
		const found: Message[] = [];
		const visit = (node: ts.Node): void => {
			found.push(...find(node).map((text) => ({ text, file })));
			ts.forEachChild(node, visit);
		};
		visit(source);
		return found;
	});
}

function sources(): Array<{ file: string; source: ts.SourceFile }> {
	return FOLDERS.flatMap((folder) =>
		readdirSync(join(repositoryFolder, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => {
				const file = join(folder, name);
				const text = readFileSync(join(repositoryFolder, file), 'utf8');
				return { file, source: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) };
			}),
	);
}

/** n8n's errors take the node first. Outside the model, a plain error inside the node is not a message yet: `n8n/noAnswer` turns it into one. */
function messagesOfError(node: ts.NewExpression): string[] {
	const name = node.expression.getText();
	const isInside =
		name === 'Error' && /^nodes\/Crew\/(?!model)/.test(node.getSourceFile().fileName);
	if (isInside || !name.endsWith('Error')) return [];
	return [0, 1].flatMap((index) => textsOf(node.arguments?.[index]));
}

function isLog({ expression }: ts.CallExpression): boolean {
	return /\blogger\.(info|warn|error)$/.test(expression.getText());
}

/** `Item.error` takes what happened and what to do. */
function isErrorOfItem({ expression }: ts.CallExpression): boolean {
	return /\b(item|this)\.error$/.test(expression.getText());
}

function isMessageWithAdvice({ elements }: ts.ArrayLiteralExpression): boolean {
	return elements.length === 2 && textsOf(elements[0]).length > 0;
}

function isInFunction(node: ts.Node, name: RegExp): boolean {
	for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
		if (ts.isFunctionDeclaration(at)) return name.test(at.name?.text ?? '');
	}
	return false;
}

function named(node: ts.Node, names: string[]): string[] {
	const isNamed =
		ts.isPropertyAssignment(node) ||
		ts.isVariableDeclaration(node) ||
		ts.isPropertyDeclaration(node);
	return isNamed && names.includes(node.name.getText()) ? textsOf(node.initializer) : [];
}

/** The texts that an expression can have, if they are literals: whole sentences, or the rest of one. */
function textsOf(node: ts.Node | undefined): string[] {
	if (node === undefined) return [];
	if (ts.isStringLiteralLike(node)) return node.text.includes(' ') ? [node.text] : [];
	if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(textsOf);
	if (!ts.isTemplateExpression(node)) return [];
	const tail = node.templateSpans.map(({ literal }) => GAP + literal.text).join('');
	return [node.head.text + tail];
}
