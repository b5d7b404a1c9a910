import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import MarkdownIt from 'markdown-it';
import { repositoryFolder } from '../../../sandbox/src/paths';

type Token = ReturnType<MarkdownIt['parse']>[number];

const markdown = new MarkdownIt({ html: true });
const UNREAD = [
	...['**/node_modules/**', '.sandbox/**', '**/dist/**', '.ci/**'],
	// Copies for the package.
	'crew-server/{LICENSE,CHANGELOG}.md',
];
/** Links in HTML inside Markdown, such as pictures for light and dark. */
const HTML_LINK = /\b(?:src|srcset|href)="([^"]+)"/g;

/** Paths of all Markdown files, from the repository's folder. */
export const markdownFiles = fastGlob
	.sync(['**/*.md', '.github/**/*.md'], { cwd: repositoryFolder, ignore: UNREAD })
	.sort();

/** A file's text; `path` is from the repository's folder. */
export function readText(path: string): string {
	return readFileSync(join(repositoryFolder, path), 'utf8');
}

/** The addresses of all links and pictures of a text. */
export function linksOf(text: string): string[] {
	return tokensOf(text).flatMap((token) => {
		if (token.type.startsWith('html')) {
			return [...token.content.matchAll(HTML_LINK)].map(([, address = '']) => address);
		}
		const address = token.attrGet('href') ?? token.attrGet('src');
		return address === null ? [] : [address];
	});
}

/** The names under which headings can be linked to, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
	const seen = new Map<string, number>();
	const tokens = markdown.parse(text, {});
	return tokens.flatMap((token, index) => {
		if (token.type !== 'heading_open') return [];
		const slug = slugOf(plainText(tokens[index + 1]));
		const count = seen.get(slug) ?? 0;
		seen.set(slug, count + 1);
		return [count === 0 ? slug : `${slug}-${count}`];
	});
}

function tokensOf(text: string): Token[] {
	return markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
}

function plainText(token: Token | undefined): string {
	return (token?.children ?? []).map(({ content }) => content).join('');
}

function slugOf(heading: string): string {
	return heading
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
		.replaceAll(' ', '-');
}
