/** n8n's scanner has no types of its own; these are the parts that it exports for others. */
declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	import type { ESLint } from 'eslint';

	/** What n8n lints of a package's source. */
	export const SOURCE_FILE_PATTERNS: string[];

	export function buildScanConfig(): Promise<NonNullable<ESLint.Options['overrideConfig']>>;

	/** Passes if there are no errors; warnings do not count. */
	export function analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}
