/** The thread's side: the encoder runs once, then the decoder writes one token at a time, always the likeliest. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Tensor } from 'onnxruntime-web';
import { serveThread } from '../concurrency/on-demand-thread.ts';
import { samplesPerSecond } from './audio-formats.ts';
import type { Heard, ModelFiles } from './recogniser.offline.ts';

const files = workerData as ModelFiles;
const ort = (await import(pathToFileURL(files.runtime).href)) as typeof import('onnxruntime-web');
const { default: tokenizer } = (await import(
  pathToFileURL(files.tokenizer).href
)) as typeof import('llama-tokenizer-js');
// One thread: the other cores are for the service.
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';
const options = { executionProviders: ['wasm'] };
const encoder = await ort.InferenceSession.create(readFileSync(files.encoder), options);
const decoder = await ort.InferenceSession.create(readFileSync(files.decoder), options);

const shape = { layers: 8, heads: 8, width: 52 };
const startToken = 1;
const endToken = 2;
/** English has about four tokens per second; more means that the model is inventing. */
const tokensPerSecond = 7;
/** Shorter clips make the encoder fail. */
const leastSamples = samplesPerSecond / 2;

serveThread<Float32Array, Heard>(parentPort!, async (samples) => {
  const audio = samples.length < leastSamples ? padded(samples) : samples;
  const { last_hidden_state: sound } = await encoder.run({
    input_values: new ort.Tensor('float32', audio, [1, audio.length]),
  });
  const most = Math.ceil((audio.length / samplesPerSecond) * tokensPerSecond) + 4;
  const tokens: number[] = [];
  const logProbabilities: number[] = [];
  let past = emptyPast();
  let token = startToken;
  for (let step = 0; step < most; step++) {
    const output = await decoder.run({
      input_ids: new ort.Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
      encoder_hidden_states: sound!,
      use_cache_branch: new ort.Tensor('bool', [step > 0], [1]),
      ...past,
    });
    const best = likeliest(output.logits!.data as Float32Array);
    token = best.token;
    logProbabilities.push(best.logProbability);
    if (token === endToken) break;
    tokens.push(token);
    past = Object.fromEntries(
      // The decoder's cache of the sound is computed in the first step and reused later.
      Object.entries(past).map(([name, before]) => [
        name,
        step === 0 || name.includes('.decoder.')
          ? output[name.replace('past_key_values', 'present')]!
          : before,
      ]),
    );
  }
  return {
    text: tokenizer.decode(tokens, false, false).trim(),
    tokens,
    logProbabilities,
    isEnded: token === endToken,
  };
});

function padded(samples: Float32Array): Float32Array {
  const longer = new Float32Array(leastSamples);
  longer.set(samples);
  return longer;
}

function emptyPast(): { [name: string]: Tensor } {
  const past: { [name: string]: Tensor } = {};
  for (let layer = 0; layer < shape.layers; layer++) {
    for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']) {
      past[`past_key_values.${layer}.${part}`] = new ort.Tensor('float32', new Float32Array(0), [
        0,
        shape.heads,
        1,
        shape.width,
      ]);
    }
  }
  return past;
}

function likeliest(logits: Float32Array): { token: number; logProbability: number } {
  let token = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i]! > logits[token]!) token = i;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - logits[token]!);
  return { token, logProbability: -Math.log(sum) };
}
