/** `POST {base}/v1/audio/transcriptions`, the protocol of OpenAI, Groq and local whisper servers. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { OutboundError, type SafeFetch, type SafeResponse } from '../outbound/safe-fetch.ts';
import type { Converter } from './audio-converter.ts';
import { NotRecognised, type Recogniser } from './recognised.ts';

export interface TranscribeSettings {
  url: string;
  apiKey: string;
  model: string;
}

const defaultModel = 'whisper-1';
const concurrency = 4;
const answerMs = 120_000;
const answerBytes = 4 * 1024 * 1024;

export function createRemoteRecogniser({
  settings,
  converter,
  safeFetch,
}: {
  settings: TranscribeSettings;
  converter: Converter;
  safeFetch: SafeFetch;
}): Recogniser {
  const model = settings.model || defaultModel;
  // People copy the base URL with and without its version.
  const url = `${settings.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/audio/transcriptions`;
  const stop = new AbortController();
  return {
    concurrency,
    async recognise(audio, folder) {
      // A small format that every such server accepts: they support neither AMR nor ADTS.
      const file = await readFile(await converter.toOpus(audio, folder));
      // Only Whisper reports the language, and only in this format; the gpt models reject it.
      const format = model.startsWith('gpt-') ? 'json' : 'verbose_json';
      const form = multipart({ model, response_format: format }, file);
      const answer = await safeFetch
        .request(url, {
          method: 'POST',
          headers: {
            'content-type': form.contentType,
            ...(settings.apiKey && { authorization: `Bearer ${settings.apiKey}` }),
          },
          body: form.body,
          totalTimeoutMs: answerMs,
          maxReadBytes: answerBytes,
          keepBytes: answerBytes,
          signal: stop.signal,
        })
        .catch((error) => {
          if (error instanceof OutboundError && error.code === 'ADDRESS_REFUSED') {
            throw new NotRecognised('the transcription server is not allowed: add it to OUTBOUND_ALLOW');
          }
          throw error;
        });
      const { text, language } = readAnswer(answer);
      return { text, language, engine: model };
    },
    close: async () => stop.abort(new Error('the service is shutting down')),
  };
}

function multipart(fields: { [name: string]: string }, file: Buffer): { contentType: string; body: Buffer } {
  const boundary = `talkboard-${randomUUID()}`;
  const part = (headers: string) => `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`);
  const head = part('name="file"; filename="voice.ogg"\r\nContent-Type: audio/ogg');
  const body = Buffer.concat([
    Buffer.from(texts.join('') + head),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

function readAnswer({ status, body }: SafeResponse): { text: string; language: string } {
  if (status === 429 || status >= 500) throw new Error(`the transcription server answered ${status}`);
  // The server's text may contain the key or an address: it must not reach messages that customers see.
  if (status !== 200) throw new NotRecognised(`the transcription server rejected the file with ${status}`);
  let answer: { text?: unknown; language?: unknown };
  try {
    answer = JSON.parse(body);
  } catch {
    throw new NotRecognised('the transcription server did not answer in JSON');
  }
  if (typeof answer?.text !== 'string')
    throw new NotRecognised('the transcription server answered without a text');
  // A NUL escaped in JSON gets through, but the database cannot store it.
  const text = answer.text.replaceAll('\0', '').toWellFormed().trim();
  if (text === '') throw new NotRecognised('no speech was recognised');
  return { text, language: languageCode(answer.language) };
}

/** Whisper says `english` where others say `en`. */
function languageCode(given: unknown): string {
  if (typeof given !== 'string' || given === '') return 'und';
  const name = given.toLowerCase();
  if (/^[a-z]{2,3}(-[a-z0-9]+)*$/.test(name) && name.length < 4) return name;
  return codesByName().get(name) ?? (/^[a-z]{2,3}-[a-z0-9]+$/.test(name) ? name : 'und');
}

let codes: Map<string, string> | null = null;

function codesByName(): Map<string, string> {
  if (codes) return codes;
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  codes = new Map();
  for (const first of letters) {
    for (const second of letters) {
      const name = names.of(first + second);
      if (name) codes.set(name.toLowerCase(), first + second);
    }
  }
  return codes;
}
