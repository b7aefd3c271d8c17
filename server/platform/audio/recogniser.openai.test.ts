import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { audioTypes, clip, clipPath, createScratch } from '../../../test/support/audio.ts';
import {
  startTranscriptionServer,
  type TranscriptionServer,
} from '../../../test/support/transcription-server.ts';
import { parseOutboundAllow } from '../outbound/outbound-address.ts';
import { createSafeFetch } from '../outbound/safe-fetch.ts';
import { createConverter } from './audio-converter.ts';
import { readOggOpus } from './ogg-opus.ts';
import { NotRecognised } from './recognised.ts';
import { createRecogniser } from './recogniser.ts';

describe('a transcription server of the OpenAI kind', () => {
  const scratch = createScratch();
  const converter = createConverter({ executables: process.env.PATH ?? '' });
  const safeFetch = createSafeFetch({ allow: parseOutboundAllow('127.0.0.0/8') });
  let server: TranscriptionServer;
  before(async () => {
    server = await startTranscriptionServer();
  });
  beforeEach(() => {
    server.requests.length = 0;
    server.answer = () => ({});
  });
  after(async () => {
    await server.close();
    await safeFetch.close();
    await converter.close();
    scratch.remove();
  });
  const ask = (
    format: keyof typeof audioTypes,
    settings: { url?: string; model?: string } = {},
    via = safeFetch,
  ) =>
    createRecogniser({
      transcribe: { url: server.url, apiKey: 'sk-test', model: '', ...settings },
      converter,
      safeFetch: via,
    }).recognise({ path: clipPath(`order.${format}`), contentType: audioTypes[format] }, scratch.folder());

  it('gets the sound as Ogg Opus with key and model, and its words are the transcript', async () => {
    assert.deepEqual(await ask('opus'), { text: 'Where is my order?', language: 'en', engine: 'whisper-1' });
    await ask('amr', { model: 'whisper-large-v3' });
    const [first, second] = server.requests;
    assert.equal(first!.authorization, 'Bearer sk-test');
    assert.deepEqual(first!.file, { name: 'voice.ogg', type: 'audio/ogg', bytes: clip('order.opus') });
    assert.equal(second!.model, 'whisper-large-v3');
    assert.ok(readOggOpus(second!.file.bytes), 'AMR is converted first');
  });

  it('the base may carry its version; models that know no verbose_json are asked for json', async () => {
    server.answer = () => ({ body: { text: 'Bom dia.' } });
    const heard = await ask('opus', { url: `${server.url}/v1/`, model: 'gpt-4o-transcribe' });
    assert.deepEqual(heard, { text: 'Bom dia.', language: 'und', engine: 'gpt-4o-transcribe' });
    assert.equal(server.requests[0]!.responseFormat, 'json');
  });

  it('a refusal, an empty text or an answer of another form is final and says why without the server’s words', async () => {
    const answers = [
      { status: 401, body: { error: { message: 'Incorrect API key provided: sk-test' } } },
      { body: { text: '  ' } },
      { body: { words: [] } },
      { body: ['text'] },
      { body: null as unknown },
    ];
    for (const answer of answers) {
      server.answer = () => (answer.body === null ? { status: 400 } : answer);
      await assert.rejects(ask('opus'), (error: Error) => {
        assert.ok(error instanceof NotRecognised, String(error));
        assert.ok(!error.message.includes('sk-test'));
        return true;
      });
    }
  });

  it('trouble that may pass is not final', async () => {
    for (const status of [429, 500, 503]) {
      server.answer = () => ({ status });
      await assert.rejects(ask('opus'), (error) => !(error instanceof NotRecognised));
    }
  });

  it('a private address is not called unless OUTBOUND_ALLOW has it', async () => {
    const guarded = createSafeFetch({ allow: parseOutboundAllow('') });
    try {
      await assert.rejects(ask('opus', {}, guarded), /OUTBOUND_ALLOW/);
      assert.equal(server.requests.length, 0);
    } finally {
      await guarded.close();
    }
  });
});
