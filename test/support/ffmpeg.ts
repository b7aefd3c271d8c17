/** The system's ffmpeg for the tests of that engine: installed if possible, otherwise reported. */
import { bringProgram } from './packages.ts';

export function bringFfmpeg(): void {
  if (bringProgram('ffmpeg')) return;
  console.log(
    'There is no ffmpeg: the tests of the system’s engine are skipped, those of the WASM engine run.',
  );
}
