/**
 * Converts audio. One interface over two engines, chosen at the first use: the system's ffmpeg, or FFmpeg as WASM
 * from the optional package.
 */
import { copyFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AudioFile,
  maxConvertedBytes,
  opusArguments,
  samplesArguments,
  samplesPerSecond,
} from './audio-formats.ts';
import { type Ffmpeg, NotConverted } from './ffmpeg.ts';
import { findFfmpeg } from './ffmpeg-system.find.ts';
import { createSystemFfmpeg } from './ffmpeg-system.ts';
import { createWasmFfmpeg, hasWasmFfmpeg } from './ffmpeg-wasm.ts';
import { readOggOpus } from './ogg-opus.ts';

export interface Converter {
  /** The engine in use, for people; null: none is available now. */
  engine(): Promise<string | null>;
  /** Writes Ogg Opus (48 kHz, mono) into `folder`, which must be empty, and returns the path of the new file. */
  toOpus(input: AudioFile, folder: string): Promise<string>;
  /** At most `seconds` of it, in the format that recognisers need. */
  toSamples(input: AudioFile, folder: string, seconds: number): Promise<Float32Array>;
  close(): Promise<void>;
}

export interface ConverterOptions {
  /** Where executables are searched, in the format of PATH. */
  executables: string;
  timeoutMs?: number;
  idleMs?: number;
  isWasmThere?: () => boolean;
  /** How long it is believed that there is none. */
  lookAgainMs?: number;
}

export function createConverter({
  executables,
  timeoutMs,
  idleMs,
  isWasmThere = hasWasmFfmpeg,
  lookAgainMs = 5_000,
}: ConverterOptions): Converter {
  let found: Promise<Ffmpeg | null> | null = null;
  let missingSince: number | null = null;
  const look = async () => {
    missingSince = null;
    const system = await findFfmpeg(executables);
    if (system) return createSystemFfmpeg(system, { timeoutMs });
    if (isWasmThere()) return createWasmFfmpeg({ timeoutMs, idleMs });
    // One may be installed meanwhile.
    missingSince = performance.now();
    return null;
  };
  const find = () => {
    if (missingSince !== null && performance.now() - missingSince >= lookAgainMs) found = null;
    found ??= look();
    return found;
  };
  const run = async (
    { path, contentType }: AudioFile,
    folder: string,
    output: string,
    args: (input: AudioFile, output: string) => string[],
  ) => {
    const ffmpeg = await find();
    if (!ffmpeg) throw new NotConverted('no audio converter is installed: install ffmpeg, or run npm ci');
    // A copy: ffmpeg may run as another user, which can access only this folder.
    const input = join(folder, 'input');
    await copyFile(path, input);
    await ffmpeg.run({ input, output, folder, args: args({ path: input, contentType }, output) });
  };

  return {
    engine: async () => (await find())?.name ?? null,
    async toOpus(input, folder) {
      const output = join(folder, 'converted.ogg');
      const already = readOggOpus(await readFile(input.path));
      if (already?.channels === 1) {
        await copyFile(input.path, output);
        return output;
      }
      await run(input, folder, output, opusArguments);
      const { size } = await stat(output);
      // ffmpeg stops silently at the limit: the output is then incomplete.
      if (size >= maxConvertedBytes - 65_536) throw new NotConverted('the audio is too long to be converted');
      if (size === 0) throw new NotConverted('the file has no sound');
      return output;
    },
    async toSamples(input, folder, seconds) {
      const output = join(folder, 'samples.raw');
      await run(input, folder, output, (...files) => samplesArguments(...files, seconds));
      return toFloats(await readFile(output));
    },
    close: async () => (await found?.catch(() => null))?.close(),
  };
}

function toFloats(bytes: Buffer): Float32Array {
  const samples = new Float32Array(bytes.length >> 1);
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(i * 2) / 32_768;
  return samples;
}

export function secondsOf(samples: Float32Array): number {
  return samples.length / samplesPerSecond;
}
