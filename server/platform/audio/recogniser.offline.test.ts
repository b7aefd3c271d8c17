/** Runs the real model on committed clips. Each takes a second or two, so there are few. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { clipPath, createScratch, spokenIn, wordAccuracy } from '../../../test/support/audio.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createConverter } from './audio-converter.ts';
import { NotRecognised } from './recognised.ts';
import { createOfflineRecogniser } from './recogniser.offline.ts';

describe('the offline recogniser', () => {
  const scratch = createScratch();
  const converter = createConverter({ executables: process.env.PATH ?? '' });
  const recogniser = createOfflineRecogniser({ converter, idleMs: 4_000 });
  after(async () => {
    await recogniser.close();
    await converter.close();
    scratch.remove();
  });
  const hear = (name: string, contentType = 'audio/opus') =>
    recogniser.recognise({ path: clipPath(name), contentType }, scratch.folder());

  it('writes down at least 90 % of the words of English sentences', async () => {
    for (const name of ['order', 'table', 'password']) {
      const { text, language, engine } = await hear(`${name}.opus`);
      assert.deepEqual({ language, engine }, { language: 'en', engine: 'moonshine-base' });
      assert.ok(wordAccuracy(spokenIn(name), text) >= 0.9, `${spokenIn(name)} / ${text}`);
    }
    const { text } = await hear('order.amr', 'audio/amr');
    assert.ok(wordAccuracy(spokenIn('order'), text) >= 0.9, `through a telephone: ${text}`);
  });

  it('invents nothing about other languages', async () => {
    for (const name of ['portuguese', 'german', 'french', 'dutch']) {
      await assert.rejects(hear(`${name}.opus`), NotRecognised, name);
    }
  });

  it('is let go when it idles and comes back when it is needed', async () => {
    await eventually(() => !recogniser.isLoaded(), 30_000);
    const { text } = await hear('table.opus');
    assert.match(text, /Friday night/);
  });
});
