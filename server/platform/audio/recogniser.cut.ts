/** Cuts long speech at quiet places: the model accepts 20 s at most, and a cut inside a word loses that word. */
import { samplesPerSecond } from './audio-formats.ts';

const longest = 20 * samplesPerSecond;
/** A cut is searched in the last 8 s before the limit. */
const earliest = 12 * samplesPerSecond;
const frame = samplesPerSecond / 20;
/** -50 dB of full scale: silence. */
const silence = 0.003;

/** In order, without silent pieces. */
export function cutAtQuiet(samples: Float32Array): Float32Array[] {
  const pieces: Float32Array[] = [];
  for (let start = 0; start < samples.length; ) {
    const end = samples.length - start <= longest ? samples.length : quietestPlace(samples, start);
    pieces.push(samples.slice(start, end));
    start = end;
  }
  return pieces.filter((piece) => loudest(piece) >= silence);
}

function quietestPlace(samples: Float32Array, start: number): number {
  let place = start + longest;
  let quietest = Number.POSITIVE_INFINITY;
  for (let at = start + earliest; at + 4 * frame <= start + longest; at += frame) {
    const level = levelOf(samples, at, at + 4 * frame);
    // Of equally quiet places, the later one: longer pieces give the model more context.
    if (level <= quietest) {
      quietest = level;
      place = at + 2 * frame;
    }
  }
  return place;
}

function loudest(samples: Float32Array): number {
  let most = 0;
  for (let at = 0; at < samples.length; at += frame) most = Math.max(most, levelOf(samples, at, at + frame));
  return most;
}

function levelOf(samples: Float32Array, start: number, end: number): number {
  const part = samples.subarray(start, end);
  let sum = 0;
  for (const sample of part) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, part.length));
}
