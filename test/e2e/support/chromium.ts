import execa from 'execa';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Keeps Chromium from calling home, and lets it run as root in a container. */
const ARGUMENTS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Milliseconds to wait for anything on a page, since a busy machine takes its time. */
const PATIENCE = 120_000;

/** Starts this machine's Chromium without a window. */
export async function launchChromium(): Promise<Browser> {
	const executablePath = (await findChromium()) ?? (await installChromium());
	return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** Opens a window of its own. */
export async function openPage(
	browser: Browser,
	options: BrowserContextOptions = {},
): Promise<Page> {
	// Pictures have twice the pixels, like today's screens.
	const page = await browser.newPage({ deviceScaleFactor: 2, ...options });
	page.setDefaultTimeout(PATIENCE);
	return page;
}

async function findChromium(): Promise<string | undefined> {
	for (const name of NAMES) {
		const { exitCode, stdout } = await execa('which', [name], { reject: false });
		if (exitCode === 0) return stdout.trim();
	}
	return undefined;
}

async function installChromium(): Promise<string> {
	if (process.getuid?.() === 0) {
		await execa('apt-get', ['update', '--quiet'], { reject: false });
		await execa('apt-get', ['install', '--yes', '--quiet', 'chromium'], { reject: false });
	}
	const installed = await findChromium();
	if (installed !== undefined) return installed;
	throw new Error('The browser tests need Chromium: install it with "apt-get install chromium"');
}
