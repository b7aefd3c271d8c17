import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../ai-replies.conversation.ts';
import { type TriesOptions, type Try, withTries } from './ai-replies.retry.ts';

const overloaded = (retryAfterMs: number | null = null) =>
  new ModelError('the model answered 429', { retryable: true, retryAfterMs });

/** A clock that moves only when something waits or takes time. */
function fakeTime() {
  let time = 1_000_000;
  const waits: number[] = [];
  const options: TriesOptions = {
    signal: new AbortController().signal,
    now: () => time,
    random: () => 0,
    sleep: async (ms) => {
      waits.push(ms);
      time += ms;
    },
  };
  return {
    waits,
    options,
    elapsed: () => time - 1_000_000,
    take(ms: number) {
      time += ms;
    },
  };
}

test('a second try that succeeds is the result', async () => {
  const { options, waits } = fakeTime();
  const result = await withTries(async ({ number }) => {
    if (number === 1) throw overloaded();
    return `try ${number}`;
  }, options);
  assert.equal(result, 'try 2');
  assert.deepEqual(waits, [500]);
});

test('after three tries the last failure is thrown', async () => {
  const { options, waits } = fakeTime();
  const errors = [overloaded(), overloaded(), overloaded()];
  await assert.rejects(
    withTries(async ({ number }) => Promise.reject(errors[number - 1]), options),
    (error) => error === errors[2],
  );
  assert.deepEqual(waits, [500, 1_000]);
});

test('a failure that is not retryable, or not of the model, is thrown at once', async () => {
  for (const failure of [
    new ModelError('the model answered 401', { retryable: false }),
    new Error('database'),
  ]) {
    const { options, waits } = fakeTime();
    let tries = 0;
    const run = async () => {
      tries += 1;
      throw failure;
    };
    await assert.rejects(withTries(run, options), (error) => error === failure);
    assert.equal(tries, 1);
    assert.deepEqual(waits, []);
  }
});

test('the wait that the provider asks for is kept, unless it does not fit into the time', async () => {
  const fits = fakeTime();
  await withTries(async ({ number }) => {
    if (number === 1) throw overloaded(12_000);
  }, fits.options);
  assert.deepEqual(fits.waits, [12_000]);

  const tooLong = fakeTime();
  let tries = 0;
  const run = async () => {
    tries += 1;
    throw overloaded(30_000);
  };
  await assert.rejects(withTries(run, tooLong.options), ModelError);
  assert.equal(tries, 1);
  assert.equal(tooLong.elapsed(), 0);
});

test('a model that never answers is tried three times and given up within 30 s', async () => {
  const { options, take, elapsed } = fakeTime();
  const given: number[] = [];
  const hang = async ({ timeoutMs }: Try) => {
    given.push(timeoutMs);
    take(timeoutMs);
    throw new ModelError('no answer', { retryable: true });
  };
  await assert.rejects(withTries(hang, options), ModelError);
  assert.deepEqual(given, [15_000, 7_250, 6_250]);
  assert.equal(elapsed(), 30_000);
});

test('an abort during a try or a wait ends it with the reason given', async () => {
  const reason = new Error('paused');
  const during = new AbortController();
  const run = async () => {
    during.abort(reason);
    throw overloaded();
  };
  await assert.rejects(withTries(run, { signal: during.signal }), (error) => error === reason);

  // The real wait this time: the abort cuts it short.
  const waiting = new AbortController();
  let tries = 0;
  const result = withTries(
    async () => {
      tries += 1;
      setImmediate(() => waiting.abort(reason));
      throw overloaded(29_000);
    },
    { signal: waiting.signal },
  );
  await assert.rejects(result, (error) => error === reason);
  assert.equal(tries, 1);

  await assert.rejects(
    withTries(async () => assert.fail('tried'), { signal: AbortSignal.abort(reason) }),
    (error) => error === reason,
  );
});

test('the jitter lengthens a wait by a fifth at most', async () => {
  const { options, waits } = fakeTime();
  await assert.rejects(
    withTries(async () => Promise.reject(overloaded()), { ...options, random: () => 0.999_999 }),
  );
  assert.deepEqual(waits, [600, 1_200]);
});
