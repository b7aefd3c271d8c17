/** The system's ffmpeg for the tests of that engine: brought where it can be, told of where not. */
import { spawnSync } from 'node:child_process';
import { hasProgram } from './audio.ts';

export function bringFfmpeg(): void {
  if (hasProgram('ffmpeg')) return;
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
  const install = () => apt('install', '-y', '--no-install-recommends', 'ffmpeg');
  if (process.getuid?.() === 0 && (install() || (apt('update') && install()))) return;
  console.log(
    'There is no ffmpeg: the tests of the system’s engine are skipped, those of the WASM engine run.',
  );
}
