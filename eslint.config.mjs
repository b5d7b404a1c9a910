import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Our own rules for all TypeScript. n8n's rules for published code run unchanged in n8n's scanner (sandbox/src/gate.ts). */
export default tseslint.config(
	{ ignores: ['**/node_modules/', '**/dist/', 'coverage/', '.sandbox/'] },
	{
		files: ['**/*.{ts,tsx}'],
		extends: [tseslint.configs.strictTypeChecked],
		languageOptions: {
			parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
		},
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		rules: {
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			eqeqeq: 'error',
			'max-lines': ['error', 300],
			'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
			'no-console': 'error',
			'no-param-reassign': 'error',
		},
	},
	{
		// Markup takes many lines.
		files: ['crew-server/page/**/*.tsx'],
		rules: {
			'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
		},
	},
	{
		files: ['{nodes,credentials}/**/*.ts'],
		...n8nCommunityNodesPlugin.configs.recommended,
	},
	{
		// Strangers choose the text that these patterns are tried on.
		files: ['{nodes,credentials}/**/*.ts'],
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
		},
	},
	{
		files: ['{sandbox,crew-server,bench}/**/*.ts', 'test/crewai/**/*.ts'],
		rules: { 'no-console': 'off' },
	},
	{
		files: ['test/**/*.ts'],
		rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
	},
	{
		files: ['**/*.{js,mjs}'],
		languageOptions: { globals: globals.node },
		rules: { 'no-undef': 'error', 'no-unused-vars': 'error' },
	},
);
