import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export interface FoundFfmpeg {
  path: string;
  version: string;
}

const run = promisify(execFile);
const answerMs = 10_000;

/** The first executable in `executables` (in the format of PATH) that runs and can write Opus. */
export async function findFfmpeg(executables: string): Promise<FoundFfmpeg | null> {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  for (const folder of executables.split(delimiter).filter((each) => each !== '')) {
    const path = join(folder, name);
    if (!isExecutable(path)) continue;
    try {
      const options = { env: {}, timeout: answerMs };
      const { stdout } = await run(path, ['-version'], options);
      const encoders = await run(path, ['-hide_banner', '-encoders'], { ...options, maxBuffer: 2 ** 22 });
      if (/\blibopus\b/.test(encoders.stdout)) return { path, version: stdout.split('\n')[0]!.trim() };
    } catch {
      // One that does not run counts as missing.
    }
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
