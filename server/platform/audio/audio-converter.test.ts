import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { audioTypes, clipPath, clipSeconds, createScratch, probe } from '../../../test/support/audio.ts';
import { findProgram } from '../../../test/support/packages.ts';
import { type Converter, createConverter, secondsOf } from './audio-converter.ts';
import { NotConverted } from './ffmpeg.ts';
import { readOggOpus } from './ogg-opus.ts';

const scratch = createScratch();
after(() => scratch.remove());

const engines = [
  {
    name: 'the system’s ffmpeg',
    executables: process.env.PATH ?? '',
    isThere: findProgram('ffmpeg') !== null,
  },
  { name: 'FFmpeg as WASM', executables: '', isThere: true },
];

for (const { name, executables, isThere } of engines) {
  describe(`conversion with ${name}`, { skip: isThere ? false : 'not installed' }, () => {
    let converter: Converter;
    before(() => {
      converter = createConverter({ executables });
    });
    after(() => converter.close());

    for (const [format, contentType] of Object.entries(audioTypes)) {
      it(`${format} becomes Ogg Opus, 48 kHz, mono, as long as it was`, async () => {
        const output = await converter.toOpus(
          { path: clipPath(`order.${format}`), contentType },
          scratch.folder(),
        );
        const { codec, rate, channels, seconds } = probe(output);
        assert.deepEqual({ codec, rate, channels }, { codec: 'opus', rate: 48_000, channels: 1 });
        // Frame-based codecs add up to one or two frames at the ends.
        assert.ok(Math.abs(seconds - clipSeconds) < 0.15, `${seconds} s`);
      });
    }

    it('copies mono Ogg Opus byte for byte and turns stereo into mono', async () => {
      const convert = (name: string) =>
        converter.toOpus({ path: clipPath(name), contentType: 'audio/opus' }, scratch.folder());
      assert.deepEqual(readFileSync(await convert('order.opus')), readFileSync(clipPath('order.opus')));
      assert.equal(readOggOpus(readFileSync(clipPath('stereo.opus')))?.channels, 2);
      assert.equal(probe(await convert('stereo.opus')).channels, 1);
    });

    it('gives a recogniser the samples of at most so many seconds', async () => {
      const input = { path: clipPath('order.mp3'), contentType: 'audio/mpeg' };
      const whole = await converter.toSamples(input, scratch.folder(), 60);
      assert.ok(Math.abs(secondsOf(whole) - clipSeconds) < 0.15);
      assert.ok(Math.max(...whole) > 0.1, 'there is sound in it');
      assert.equal(secondsOf(await converter.toSamples(input, scratch.folder(), 2)), 2);
    });

    it('refuses a file that is no sound, truncated to nothing, or another format than declared', async () => {
      const folder = scratch.folder();
      const path = join(folder, 'noise');
      for (const content of [
        Buffer.from('just some text'),
        Buffer.alloc(5_000),
        readFileSync(clipPath('order.m4a')),
      ]) {
        writeFileSync(path, content);
        await assert.rejects(
          converter.toOpus({ path, contentType: 'audio/webm' }, scratch.folder()),
          NotConverted,
        );
      }
    });

    it('a playlist reads no other file and calls nobody, whatever it is declared to be', async () => {
      let calls = 0;
      const server = createServer((_request, response) => {
        calls++;
        response.end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const canary = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      try {
        const path = join(scratch.folder(), 'list');
        const other = clipPath('order.wav');
        const lists = [
          `#EXTM3U\n#EXTINF:1,\n${canary}\n#EXTINF:1,\nfile://${other}\n#EXT-X-ENDLIST\n`,
          `ffconcat version 1.0\nfile '${other}'\nfile '${canary}'\n`,
        ];
        for (const list of lists) {
          writeFileSync(path, list);
          for (const contentType of Object.values(audioTypes)) {
            await assert.rejects(converter.toOpus({ path, contentType }, scratch.folder()), NotConverted);
          }
        }
        assert.equal(calls, 0);
      } finally {
        server.close();
      }
    });

    it('is ended when it takes too long', async () => {
      const hasty = createConverter({ executables, timeoutMs: 1 });
      try {
        const input = { path: clipPath('order.wav'), contentType: 'audio/wav' };
        await assert.rejects(hasty.toOpus(input, scratch.folder()), /took too long/);
      } finally {
        await hasty.close();
      }
    });
  });
}

describe('conversion with either', () => {
  it('without an engine says what installs one, and finds one that was installed meanwhile', async () => {
    let isInstalled = false;
    const converter = createConverter({ executables: '', isWasmThere: () => isInstalled, lookAgainMs: 0 });
    try {
      const input = { path: clipPath('order.mp3'), contentType: 'audio/mpeg' };
      await assert.rejects(converter.toOpus(input, scratch.folder()), /run npm ci/);
      isInstalled = true;
      assert.match((await converter.engine()) ?? 'none', /WASM/);
    } finally {
      await converter.close();
    }
  });

  it('an Ogg Opus file with something behind its end, cut off, or of two streams is not passed on as it is', () => {
    const whole = readFileSync(clipPath('order.opus'));
    assert.ok(readOggOpus(whole));
    assert.equal(readOggOpus(Buffer.concat([whole, Buffer.from('<script>')])), null);
    assert.equal(readOggOpus(Buffer.concat([whole, whole])), null);
    assert.equal(readOggOpus(whole.subarray(0, -10)), null);
    assert.equal(readOggOpus(readFileSync(clipPath('order.ogg'))), null, 'Vorbis');
    assert.equal(readOggOpus(Buffer.alloc(0)), null);
  });
});
