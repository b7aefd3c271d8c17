import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplesPerSecond } from './audio-formats.ts';
import { NotRecognised } from './recognised.ts';
import { cutAtQuiet } from './recogniser.cut.ts';
import { type HeardPiece, judge } from './recogniser.judge.ts';

const piece = (text: string, trust: number, more: Partial<HeardPiece> = {}): HeardPiece => ({
  text,
  tokens: [...text].map((_, place) => place),
  logProbabilities: [trust, trust, trust],
  isEnded: true,
  seconds: 10,
  ...more,
});

describe('judging what was heard', () => {
  it('believes what the model is sure of', () => {
    assert.equal(
      judge([piece('Hello there.', -0.1), piece('How are you?', -0.3)]),
      'Hello there. How are you?',
    );
  });

  it('gives no words where there are none, or where the model guesses', () => {
    for (const pieces of [
      [],
      [piece('', -0.01)],
      [piece('...', -0.01)],
      [piece('The government has not.', -0.6)],
    ]) {
      assert.throws(() => judge(pieces), NotRecognised);
    }
  });

  it('marks a part that was not understood, if the rest was', () => {
    const pieces = [
      piece('Hello.', -0.1),
      piece('The spaghetti.', -1.1),
      piece('', -0.1),
      piece('Bye.', -0.1),
      piece('Bye!', -0.1),
    ];
    assert.equal(judge(pieces), 'Hello. [unclear] Bye. Bye!');
    assert.throws(() => judge(pieces.slice(0, 3)), NotRecognised, 'but not more than half of it');
  });

  it('does not believe loops, foreign scripts and what never ends, however sure the model is', () => {
    const loop = { tokens: [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4] };
    for (const one of [
      piece('and the price and the price', -0.01, loop),
      piece('我們呢', -0.01),
      piece('¡Gracias por llamar!', -0.01),
      piece('And so on and on', -0.01, { isEnded: false }),
    ]) {
      assert.throws(() => judge([one]), NotRecognised, one.text);
    }
    assert.equal(judge([piece('At the café.', -0.1)]), 'At the café.');
  });
});

describe('cutting long speech', () => {
  const seconds = (count: number, level: (second: number) => number) =>
    Float32Array.from({ length: count * samplesPerSecond }, (_, i) =>
      i % 2 === 0 ? level(i / samplesPerSecond) : -level(i / samplesPerSecond),
    );

  it('cuts in the pauses, into pieces of at most 20 s, and loses nothing', () => {
    const isPause = (second: number) => Math.abs((second % 7.3) - 7) < 0.3;
    const samples = seconds(65, (second) => (isPause(second) ? 0.001 : 0.3));
    const pieces = cutAtQuiet(samples);
    assert.equal(
      pieces.reduce((sum, one) => sum + one.length, 0),
      samples.length,
    );
    let end = 0;
    for (const one of pieces) {
      assert.ok(one.length <= 20 * samplesPerSecond);
      end += one.length;
      if (end < samples.length)
        assert.ok(isPause(end / samplesPerSecond), `cut at ${end / samplesPerSecond} s`);
    }
  });

  it('passes over silence', () => {
    assert.deepEqual(cutAtQuiet(seconds(5, () => 0.0005)), []);
    assert.deepEqual(cutAtQuiet(new Float32Array(0)), []);
    assert.equal(cutAtQuiet(seconds(25, (second) => (second > 24.5 ? 0.2 : 0))).length, 1);
  });
});
