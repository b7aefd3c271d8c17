/** The system's ffmpeg behind a script that lets a test decide when a conversion starts, and whether it works. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './packages.ts';

export interface FfmpegGate {
  /** For PATH. */
  folder: string;
  /** Conversions that start from now on wait. */
  close(): void;
  open(): void;
  /** Conversions that start from now on fail, as for an unreadable file. */
  breakDown(isBroken: boolean): void;
  remove(): void;
}

/** Null: this machine has no ffmpeg. */
export function createFfmpegGate(): FfmpegGate | null {
  const real = findProgram('ffmpeg');
  if (!real) return null;
  const folder = mkdtempSync(join(tmpdir(), 'talkboard-ffmpeg-'));
  const [closed, broken, script] = ['closed', 'broken', 'ffmpeg'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    script,
    `#!/bin/sh
while [ -e '${closed}' ]; do /bin/sleep 0.05; done
[ -e '${broken}' ] && exit 1
exec '${real}' "$@"
`,
  );
  // If the service is root, it runs ffmpeg as nobody.
  chmodSync(script, 0o755);
  chmodSync(folder, 0o755);
  return {
    folder,
    close: () => writeFileSync(closed, ''),
    open: () => rmSync(closed, { force: true }),
    breakDown: (isBroken) => (isBroken ? writeFileSync(broken, '') : rmSync(broken, { force: true })),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
