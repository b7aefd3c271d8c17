/** A real Chromium: Debian's, installed when the tests run as root and it is missing. */
import { type Browser, chromium } from 'playwright-core';
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

/** Once, before test files need it in parallel. */
export function bringChromium(): void {
  if (findChromium()) return;
  console.log('Installing Chromium for the browser tests …');
  const reason = installPackage('chromium');
  if (reason === null) return;
  throw new Error(
    `The browser tests need Chromium, and ${reason}. Install it (on Debian: apt-get install chromium), or name one in CHROMIUM.`,
  );
}

/** Every browser has a fresh profile. */
export async function startChromium(...more: string[]): Promise<Browser> {
  bringChromium();
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium was installed but is not found');
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...more] });
}
