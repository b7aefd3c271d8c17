/** A real Chromium: Debian's, installed when the tests run as root and it is missing. */
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findProgram, installPackage } from './packages.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function findChromium(): string | null {
  return process.env.CHROMIUM || findProgram(...names);
}

function installChromium(): void {
  console.log('Installing Chromium for the browser tests …');
  const reason = installPackage('chromium');
  if (reason === null) return;
  throw new Error(
    `The browser tests need Chromium, and ${reason}. Install it (on Debian: apt-get install chromium), or name one in CHROMIUM.`,
  );
}

let shared: Promise<Browser> | null = null;
let isShared = false;

/**
 * From now on, files of this process that need no flags of their own use one browser. Returns what ends it.
 * @public Called by the files that scripts/test-groups.ts writes.
 */
export function shareChromium(): () => Promise<void> {
  isShared = true;
  return async () => (await shared)?.close();
}

/** With a fresh profile: in a shared browser, each context has one. */
export async function startChromium(...more: string[]): Promise<Browser> {
  if (!isShared || more.length > 0) return launch(more);
  shared ??= launch([]);
  return ownPartOf(await shared);
}

/** Closing it closes what was opened through it. */
function ownPartOf(browser: Browser): Browser {
  const contexts: BrowserContext[] = [];
  const part: Browser = Object.create(browser);
  part.newContext = async (options) => {
    const context = await browser.newContext(options);
    contexts.push(context);
    return context;
  };
  part.newPage = async (options) => (await part.newContext(options)).newPage();
  part.close = async () => {
    await Promise.all(contexts.map((context) => context.close()));
  };
  return part;
}

async function launch(more: string[]): Promise<Browser> {
  if (!findChromium()) installChromium();
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium was installed but is not found');
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...more] });
}
