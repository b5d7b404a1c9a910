/**
 * n8n's own checks of community packages, on the source and on the packed tarball, as n8n's scanner runs them before
 * it accepts a package; and which files the tarball may have. Run alone: `tsx sandbox/src/gate.ts`.
 */
import type * as ScannerModule from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';
import fastGlob from 'fast-glob';
import { packPackage, unpack, type PackedPackage } from './packed-package';
import { repositoryFolder } from './paths';
import { makeScratchFolder, remove } from './scratch-folder';

type Scanner = typeof ScannerModule;

/** The files of a published package that n8n's scanner lints. */
const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];
const LARGEST_TARBALL = 70_000;
const ALLOWED_IN_TARBALL = /^(dist\/.*|README\.md|CHANGELOG\.md|LICENSE\.md|package\.json)$/;

/** All objections of n8n's checks and of the tarball's limits, including warnings; empty if there are none. */
export async function findObjections(packed: PackedPackage): Promise<string[]> {
	const scanner = await import('@n8n/scan-community-package/scanner/scanner.mjs');
	const unpacked = await makeScratchFolder('gate');
	try {
		await unpack(packed, unpacked);
		return [
			...checkContents(packed),
			...(await scan(scanner, 'source', repositoryFolder, scanner.SOURCE_FILE_PATTERNS)),
			...(await scan(scanner, 'tarball', unpacked, TARBALL_FILE_PATTERNS)),
		];
	} finally {
		await remove(unpacked);
	}
}

function checkContents({ size, files }: PackedPackage): string[] {
	const strangers = files.filter((file) => !ALLOWED_IN_TARBALL.test(file));
	const objections = strangers.map((file) => `tarball: ${file} does not belong in it`);
	if (size > LARGEST_TARBALL) {
		objections.push(`tarball: ${size} bytes, more than the ${LARGEST_TARBALL} allowed`);
	}
	return objections;
}

async function scan(
	scanner: Scanner,
	subject: string,
	folder: string,
	patterns: string[],
): Promise<string[]> {
	const { passed, message, details } = await scanner.analyzePackage(folder, patterns);
	// n8n's verdict is only about errors; running its rules once more finds warnings, too.
	const findings = await lintWithScannerRules(scanner, folder, patterns);
	if (!passed && findings.length === 0)
		return [`${subject}: ${details ?? message ?? 'not passed'}`];
	return findings.map((finding) => `${subject}: ${finding}`);
}

async function lintWithScannerRules(
	scanner: Scanner,
	folder: string,
	patterns: string[],
): Promise<string[]> {
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await scanner.buildScanConfig(),
	});
	const files = await fastGlob(patterns, {
		cwd: folder,
		absolute: true,
		ignore: ['node_modules/**', '**/package-lock.json'],
	});
	if (files.length === 0) return ['there is nothing to scan'];
	const results = await eslint.lintFiles(files);
	return results.flatMap(({ filePath, messages }) =>
		messages.map(
			({ line, ruleId, message }) =>
				`${filePath.slice(folder.length + 1)}:${line} ${message} (${ruleId ?? 'no rule'})`,
		),
	);
}

async function main(): Promise<void> {
	const packed = await packPackage();
	try {
		const objections = await findObjections(packed);
		for (const objection of objections) console.error(objection);
		if (objections.length > 0) process.exitCode = 1;
		console.log(
			`n8n's gate: ${objections.length} findings, ${packed.files.length} files, ${packed.size} bytes packed`,
		);
	} finally {
		await packed.remove();
	}
}

if (require.main === module) {
	main().catch((error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	});
}
