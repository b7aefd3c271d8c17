/** FFmpeg as WASM in a worker thread: loaded for the first conversion, terminated when it takes too long or idles. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createOnDemandThread, ThreadTimeout } from '../concurrency/on-demand-thread.ts';
import { type Ffmpeg, NotConverted, reasonIn } from './ffmpeg.ts';

/** A 60 s clip takes about 2 s; this leaves time for slow machines and the longest uploads. */
const defaultTimeoutMs = 180_000;
const defaultIdleMs = 60_000;

export interface WasmRequest {
  input: Uint8Array;
  inputName: string;
  outputName: string;
  args: string[];
}
export type WasmAnswer = { output: Uint8Array } | { complaint: string };

export function hasWasmFfmpeg(): boolean {
  return findPackageFile('@ffmpeg/core') !== null && findPackageFile('@ffmpeg/core/wasm') !== null;
}

/** The path of an optional dependency; null if it is not installed. */
export function findPackageFile(specifier: string): string | null {
  try {
    const path = fileURLToPath(import.meta.resolve(specifier));
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

export function createWasmFfmpeg({
  timeoutMs = defaultTimeoutMs,
  idleMs = defaultIdleMs,
}: {
  timeoutMs?: number;
  idleMs?: number;
} = {}): Ffmpeg {
  const thread = createOnDemandThread<WasmRequest, WasmAnswer>({
    file: new URL('./ffmpeg-wasm.thread.ts', import.meta.url),
    idleMs,
    data: { core: findPackageFile('@ffmpeg/core'), wasm: findPackageFile('@ffmpeg/core/wasm') },
  });
  return {
    name: 'FFmpeg as WASM (@ffmpeg/core)',
    async run({ input, output, args }) {
      const names = new Map([
        [input, '/input'],
        [output, '/output'],
      ]);
      const request: WasmRequest = {
        input: new Uint8Array(await readFile(input)),
        inputName: '/input',
        outputName: '/output',
        args: args.map((each) => names.get(each) ?? each),
      };
      const answer = await thread.ask(request, timeoutMs).catch((error) => {
        if (error instanceof ThreadTimeout) throw new NotConverted('the conversion took too long');
        throw error;
      });
      if ('complaint' in answer) {
        throw new NotConverted(`the audio cannot be read: ${reasonIn(answer.complaint, '')}`);
      }
      await writeFile(output, answer.output);
    },
    close: () => thread.close(),
  };
}
