/** The system's ffmpeg for the tests of that engine: brought where it can be, told of where not. */
import { hasProgram } from './audio.ts';
import { installPackage } from './packages.ts';

export function bringFfmpeg(): void {
  if (hasProgram('ffmpeg') || installPackage('ffmpeg') === null) return;
  console.log(
    'There is no ffmpeg: the tests of the system’s engine are skipped, those of the WASM engine run.',
  );
}
