/** Cuts long speech where it is quietest: the model hears 20 s at most, and a cut inside a word costs that word. */
import { samplesPerSecond } from './audio-formats.ts';

const longest = 20 * samplesPerSecond;
/** A cut is looked for in the last 8 s before it must come. */
const earliest = 12 * samplesPerSecond;
const frame = samplesPerSecond / 20;
/** -50 dB of full scale: nobody speaks. */
const silence = 0.003;

/** In order, without those in which there is nothing to hear. */
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
    // Of places that are as quiet, the later: longer pieces leave the model more to go by.
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
