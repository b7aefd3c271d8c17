import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTypingNotices } from './widget-api.typing.ts';
import type { Visitor } from './widget-api.visitor.ts';

const visitor = (sessionId: string) => ({ accountId: 'a', sessionId }) as Visitor;

describe('what visitors type', () => {
  const begin = (t: TestContext, fails = false) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const sent: string[] = [];
    const errors: unknown[] = [];
    const { say, close } = createTypingNotices({
      async send({ sessionId }, isTyping) {
        sent.push(`${sessionId} ${isTyping}`);
        if (fails) throw new Error('no database');
      },
      onError: (error) => errors.push(error),
    });
    return { sent, errors, say, close, pass: (ms: number) => t.mock.timers.tick(ms) };
  };

  it('is told once a second for each visitor, whatever they say, and ends with what they said last', (t) => {
    const { sent, say, pass } = begin(t);
    for (let n = 0; n < 100; n++) say(visitor('one'), n % 2 === 0);
    say(visitor('other'), true);
    assert.deepEqual(sent, ['one true', 'other true']);
    pass(1_000);
    assert.deepEqual(sent, ['one true', 'other true', 'one false']);
    say(visitor('one'), true);
    say(visitor('one'), false);
    pass(1_000);
    assert.deepEqual(sent.slice(3), [], 'it was told a moment ago');
    say(visitor('one'), true);
    assert.deepEqual(sent.slice(3), ['one true']);
  });

  it('of many visitors at once waits in line, a few at a time, and is left out where too many wait', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answers: (() => void)[] = [];
    const errors: unknown[] = [];
    const { say } = createTypingNotices({
      send: () => new Promise<void>((resolve) => answers.push(resolve)),
      onError: (error) => errors.push(error),
    });
    for (let n = 0; n < 2_000; n++) say(visitor(`v${n}`), true);
    await nextTurn();
    assert.equal(answers.length, 4, 'requests need the other connections');
    assert.equal(errors.length, 1);
    for (let n = 0; n < 2_000; n++) {
      answers[n]?.();
      await null;
    }
    await nextTurn();
    assert.equal(answers.length, 504);
  });

  it('is told no more after the end, also what waited for its second or its turn', async (t) => {
    const { sent, errors, say, close, pass } = begin(t);
    for (let n = 0; n < 10; n++) say(visitor(`v${n}`), true);
    say(visitor('v0'), false);
    close();
    const told = sent.length;
    say(visitor('late'), true);
    pass(5_000);
    await nextTurn();
    assert.deepEqual([sent.length, errors], [told, []]);
  });

  it('says once what went wrong for many', async (t) => {
    const { errors, say } = begin(t, true);
    for (let n = 0; n < 50; n++) say(visitor(`v${n}`), true);
    await nextTurn();
    assert.equal(errors.length, 1);
  });
});
