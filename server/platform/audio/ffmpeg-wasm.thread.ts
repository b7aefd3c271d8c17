/** The thread's side. An instance keeps state between runs, so every conversion gets a new one of the compiled module. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { serveThread } from '../concurrency/on-demand-thread.ts';
import type { WasmAnswer, WasmRequest } from './ffmpeg-wasm.ts';

interface Core {
  FS: {
    writeFile(path: string, data: Uint8Array): void;
    readFile(path: string): Uint8Array;
  };
  setLogger(logger: (line: { type: string; message: string }) => void): void;
  exec(...args: string[]): number;
}
type CreateCore = (options: {
  instantiateWasm(imports: object, done: (instance: object) => void): object;
}) => Promise<Core>;
// TypeScript knows it only as part of a browser.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (compiled: object, imports: object) => object;
};

const { core, wasm } = workerData as { core: string; wasm: string };
// The build expects a browser worker and reads its own address there.
Object.assign(globalThis, { self: globalThis, location: pathToFileURL(core) });
const { default: createCore } = (await import(pathToFileURL(core).href)) as { default: CreateCore };
const compiled = await WebAssembly.compile(readFileSync(wasm));

serveThread<WasmRequest, WasmAnswer>(parentPort!, async ({ input, inputName, outputName, args }) => {
  const instance = await createCore({
    instantiateWasm(imports, done) {
      done(new WebAssembly.Instance(compiled, imports));
      return {};
    },
  });
  const complaints: string[] = [];
  instance.setLogger(({ message }) => {
    if (complaints.length < 50) complaints.push(message);
  });
  instance.FS.writeFile(inputName, input);
  const code = instance.exec(...args);
  if (code !== 0) return { complaint: complaints.filter((line) => line !== 'Aborted()').join('\n') };
  return { output: instance.FS.readFile(outputName) };
});
