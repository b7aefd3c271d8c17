/**
 * Transcribes speech with one of two engines: a server with the OpenAI protocol, or Moonshine in a thread of this
 * process.
 */
import type { SafeFetch } from '../outbound/safe-fetch.ts';
import type { Converter } from './audio-converter.ts';
import { NotRecognised, type Recogniser } from './recognised.ts';
import { createOfflineRecogniser, hasOfflineRecogniser } from './recogniser.offline.ts';
import { createRemoteRecogniser, type TranscribeSettings } from './recogniser.openai.ts';

export interface RecogniserOptions {
  transcribe: TranscribeSettings;
  converter: Converter;
  safeFetch: SafeFetch;
}

export function createRecogniser({ transcribe, converter, safeFetch }: RecogniserOptions): Recogniser {
  if (transcribe.url) return createRemoteRecogniser({ settings: transcribe, converter, safeFetch });
  let offline: Recogniser | null = null;
  return {
    concurrency: 1,
    async recognise(audio, folder) {
      if (!offline && !hasOfflineRecogniser()) {
        throw new NotRecognised('transcription is not installed: npm ci installs it');
      }
      offline ??= createOfflineRecogniser({ converter });
      return offline.recognise(audio, folder);
    },
    close: async () => offline?.close(),
  };
}
