/** Runs the real model on committed clips. Each takes a second or two, so there are few; a full run has more. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { clipPath, createScratch, spokenIn, wordAccuracy } from '../../../test/support/audio.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { isFull } from '../../../test/support/sample.ts';
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
    for (const name of isFull ? ['order', 'table', 'password'] : ['table']) {
      const { text, language, engine } = await hear(`${name}.opus`);
      assert.deepEqual({ language, engine }, { language: 'en', engine: 'moonshine-base' });
      assert.ok(wordAccuracy(spokenIn(name), text) >= 0.9, `${spokenIn(name)} / ${text}`);
    }
    // The same sentence as `order.opus`, with less of its sound.
    const { text } = await hear('order.amr', 'audio/amr');
    assert.ok(wordAccuracy(spokenIn('order'), text) >= 0.9, `through a telephone: ${text}`);
  });

  it('invents nothing about other languages', async () => {
    // The model finds no words in French. Of the others it is the surest of its Dutch ones.
    const names = isFull ? ['portuguese', 'german', 'french', 'dutch'] : ['dutch'];
    for (const name of names) await assert.rejects(hear(`${name}.opus`), NotRecognised, name);
  });

  it('is let go when it idles', async () => {
    assert.ok(recogniser.isLoaded());
    await eventually(() => !recogniser.isLoaded(), 30_000);
  });

  // Loading takes four times as long as a clip. on-demand-thread.test.ts has the same with a small thread.
  it('comes back when it is needed', { skip: isFull ? false : 'with --full' }, async () => {
    const { text } = await hear('table.opus');
    assert.match(text, /Friday night/);
  });
});
