/** n8n's scanner has no types; these are for the parts that are used here. */
declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	import type { ESLint } from 'eslint';

	/** The files of a package's source that n8n lints. */
	export const SOURCE_FILE_PATTERNS: string[];

	export function buildScanConfig(): Promise<NonNullable<ESLint.Options['overrideConfig']>>;

	/** Passes if there are no errors; warnings do not count. */
	export function analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}
