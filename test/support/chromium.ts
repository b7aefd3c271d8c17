/**
 * A real Chromium: Debian's, installed when the tests run as root and it is missing. Its headless shell needs half the
 * processor time of the whole browser, which can take its place.
 */
import type { Browser } from 'playwright-core';
import { findProgram, installPackage } from './packages.ts';

const shell = 'chromium-headless-shell';
const names = [shell, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
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
  if (process.env.CHROMIUM || findProgram(shell)) return;
  console.log('Installing Chromium for the browser tests …');
  if (installPackage(shell) === null || findChromium()) return;
  const reason = installPackage('chromium');
  if (reason === null) return;
  throw new Error(
    `The browser tests need Chromium, and ${reason}. Install it (on Debian: apt-get install chromium), or name one in CHROMIUM.`,
  );
}

/** Every browser has a fresh profile. */
export async function startChromium(...more: string[]): Promise<Browser> {
  if (!findChromium()) bringChromium();
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium was installed but is not found');
  // Not with this file: it takes a second, and a run without browser tests only asks whether there is a browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...more] });
}
