import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { unavailable } from './errors.ts';
import { AnswerStream, BodyReader, ClientGone, createBacklog } from './streaming.ts';

const collect = async (reader: BodyReader) => {
  let text = '';
  for await (const chunk of reader.chunks()) text += chunk;
  return text;
};

describe('reading a body', () => {
  it('gives everything that comes, to the end', async () => {
    const body = new PassThrough();
    const text = collect(new BodyReader(body));
    body.write('one ');
    body.write('two ');
    body.end('three');
    assert.equal(await text, 'one two three');
  });

  it('is over when the client leaves in the middle', async () => {
    const body = new PassThrough();
    const text = collect(new BodyReader(body));
    body.write('one');
    body.destroy(new Error('aborted'));
    await assert.rejects(text, ClientGone);
  });

  it('408 when nothing comes for too long', async () => {
    const reader = new BodyReader(new PassThrough(), { standstillMs: 5 });
    await assert.rejects(collect(reader), { status: 408 });
  });

  it('ends with the reason when it is interrupted, even while it waits', async () => {
    const reader = new BodyReader(new PassThrough());
    const text = collect(reader);
    reader.interrupt(unavailable('stopping'));
    await assert.rejects(text, { status: 503, message: 'stopping' });
  });

  it('lets the rest come and go once it is drained', async () => {
    const body = new PassThrough({ highWaterMark: 10 });
    const reader = new BodyReader(body);
    body.write('x'.repeat(100));
    reader.drain();
    body.write('y'.repeat(100));
    body.end();
    await once(body, 'end');
  });
});

describe('writing an answer', () => {
  const large = 'x'.repeat(200_000);

  it('goes on while the client fetches nothing, as long as the backlog has room', async () => {
    const answer = new AnswerStream(createBacklog(1_000_000));
    for (let i = 0; i < 4; i++) await answer.write(large);
    answer.end();
    let length = 0;
    for await (const chunk of answer) length += chunk.length;
    assert.equal(length, 4 * large.length);
  });

  it('waits for the client when the backlog is full, counting what other answers keep', async () => {
    const backlog = createBacklog(300_000);
    const other = new AnswerStream(backlog);
    await other.write(large);
    const answer = new AnswerStream(backlog);
    let written = false;
    const writing = answer.write(large).then(() => {
      written = true;
    });
    await new Promise(setImmediate);
    assert.equal(written, false);
    answer.resume();
    await writing;
    other.destroy();
    answer.destroy();
  });

  it('gives up a client that fetches nothing for too long', async () => {
    const answer = new AnswerStream(createBacklog(0), { standstillMs: 5 });
    await assert.rejects(answer.write(large), ClientGone);
    assert.ok(answer.destroyed);
  });

  it('stops for a client that has left, whether it waits or not', async () => {
    const answer = new AnswerStream(createBacklog(0));
    const writing = answer.write(large);
    answer.destroy();
    await assert.rejects(writing, ClientGone);
    await assert.rejects(answer.write('more'), ClientGone);
  });
});
