/** The committed clips (test/fixtures/audio), and a reader of Ogg Opus files. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOggOpus } from '../../server/platform/audio/ogg-opus.ts';
import { findProgram } from './packages.ts';

/** One sentence in every format that may be uploaded; the file is `order.<name>`. */
export const audioTypes = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  webm: 'audio/webm',
  aac: 'audio/aac',
  amr: 'audio/amr',
  opus: 'audio/opus',
} as const;
export const clipSeconds = 3.535;

const folder = fileURLToPath(new URL('../fixtures/audio', import.meta.url));
export const clipPath = (name: string) => join(folder, name);
export const clip = (name: string) => readFileSync(clipPath(name));
export const spokenIn = (name: string) => readFileSync(join(folder, `${name}.txt`), 'utf8').trim();

const hasFfprobe = findProgram('ffprobe') !== null;

/** By ffprobe if available, otherwise by our own reader. */
export function probe(path: string): { codec: string; rate: number; channels: number; seconds: number } {
  if (!hasFfprobe) {
    const read = readOggOpus(readFileSync(path));
    if (!read) throw new Error(`${path} is no Ogg Opus`);
    return { codec: 'opus', rate: 48_000, channels: read.channels, seconds: read.seconds };
  }
  const show = 'stream=codec_name,sample_rate,channels:format=duration';
  const text = execFileSync('ffprobe', [
    '-v',
    'error',
    '-f',
    'ogg',
    '-show_entries',
    show,
    '-of',
    'json',
    path,
  ]);
  const { streams, format } = JSON.parse(text.toString());
  const [{ codec_name: codec, sample_rate: rate, channels }] = streams;
  return { codec, rate: Number(rate), channels, seconds: Number(format.duration) };
}

export interface Scratch {
  /** An empty folder. */
  folder(): string;
  /** A copy of a clip in a separate folder. */
  copy(name: string): { path: string; folder: string };
  remove(): void;
}

export function createScratch(): Scratch {
  const made: string[] = [];
  const newFolder = () => {
    const path = mkdtempSync(join(tmpdir(), 'talkboard-audio-test-'));
    made.push(path);
    return path;
  };
  return {
    folder: newFolder,
    copy(name) {
      const place = newFolder();
      const path = join(place, 'clip');
      copyFileSync(clipPath(name), path);
      return { path, folder: place };
    },
    remove() {
      for (const path of made) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The share of the words of `said` that occur in `heard`, in order. */
export function wordAccuracy(said: string, heard: string): number {
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const [expected, got] = [words(said), words(heard)];
  const row = new Array<number>(got.length + 1).fill(0);
  for (const word of expected) {
    let diagonal = 0;
    for (let j = 1; j <= got.length; j++) {
      const above = row[j]!;
      row[j] = word === got[j - 1] ? diagonal + 1 : Math.max(above, row[j - 1]!);
      diagonal = above;
    }
  }
  return row[got.length]! / expected.length;
}
