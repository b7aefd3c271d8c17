/**
 * Moonshine base, English only, in a thread that is loaded on demand: 0.6 GB of memory, a fifth to a third of real
 * time on one core. One clip at a time; the memory is freed after a period without requests.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createOnDemandThread, ThreadTimeout } from '../concurrency/on-demand-thread.ts';
import { type Converter, secondsOf } from './audio-converter.ts';
import { findPackageFile } from './ffmpeg-wasm.ts';
import { NotRecognised, type Recogniser } from './recognised.ts';
import { cutAtQuiet } from './recogniser.cut.ts';
import { type HeardPiece, judge } from './recogniser.judge.ts';

const engine = 'moonshine-base';
const longestSeconds = 600;
const defaultIdleMs = 60_000;
/** For a piece of 20 s, including loading the model for the first one, with time for a busy machine. */
const pieceTimeoutMs = 120_000;

export interface ModelFiles {
  encoder: string;
  decoder: string;
  runtime: string;
  tokenizer: string;
}

/** The result of one piece. */
export type Heard = Omit<HeardPiece, 'seconds'>;

function findModelFiles(): ModelFiles | null {
  const runtime = findPackageFile('onnxruntime-web/wasm');
  const tokenizer = findPackageFile('llama-tokenizer-js');
  const entry = findPackageFile('@usefulsensors/moonshine-js');
  if (!runtime || !tokenizer || !entry) return null;
  const folder = join(dirname(entry), 'model/base/quantized');
  const encoder = join(folder, 'encoder_model.onnx');
  const decoder = join(folder, 'decoder_model_merged.onnx');
  return existsSync(encoder) && existsSync(decoder) ? { encoder, decoder, runtime, tokenizer } : null;
}

export function hasOfflineRecogniser(): boolean {
  return findModelFiles() !== null;
}

export function createOfflineRecogniser({
  converter,
  idleMs = defaultIdleMs,
}: {
  converter: Converter;
  idleMs?: number;
}): Recogniser & { isLoaded(): boolean } {
  const thread = createOnDemandThread<Float32Array, Heard>({
    file: new URL('./recogniser.offline.thread.ts', import.meta.url),
    idleMs,
    data: findModelFiles(),
  });
  return {
    concurrency: 1,
    async recognise(audio, folder) {
      const samples = await converter.toSamples(audio, folder, longestSeconds + 1);
      if (secondsOf(samples) > longestSeconds) {
        throw new NotRecognised(`longer than ${longestSeconds / 60} minutes`);
      }
      const heard: HeardPiece[] = [];
      for (const piece of cutAtQuiet(samples)) {
        const part = await thread.ask(piece, pieceTimeoutMs).catch((error) => {
          if (error instanceof ThreadTimeout) throw new NotRecognised('the transcription took too long');
          throw error;
        });
        heard.push({ ...part, seconds: secondsOf(piece) });
      }
      return { text: judge(heard), language: 'en', engine };
    },
    isLoaded: () => thread.isLoaded(),
    close: () => thread.close(),
  };
}
