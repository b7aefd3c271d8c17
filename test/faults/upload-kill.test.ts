/** kill -9 in the middle of uploads leaves nothing by halves; a hundred of them at once need little memory. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../support/files.ts';
import { sampleOfSize } from '../support/sample-files.ts';
import { type Json, password } from '../support/service.ts';
import { eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const megabyte = 1024 * 1024;
const kills = isFull ? 20 : 1;
const atOnce = isFull ? 100 : 20;
const maxGrowth = 200 * megabyte;
const contentType = 'video/mp4';

describe('uploads', () => {
  let workshop: Workshop;
  let survivor: Program | null = null;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  const signIn = async (program: Program) => {
    const login = await program.call('POST', '/auth/login', { email: 'admin@example.com', password });
    return { authorization: `Bearer ${login.body.token}` };
  };
  const announce = async (program: Program, auth: Record<string, string>, size: number): Promise<Json> => {
    const { status, body } = await program.call(
      'POST',
      '/messages/upload',
      { fileName: 'f', contentType, size },
      auth,
    );
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const put = (url: string, size: number, pace = 0) =>
    send(url, {
      method: 'PUT',
      headers: { 'content-type': contentType, 'content-length': String(size) },
      body: Readable.from(paced(size, pace)),
    });
  const drafts = () => readdirSync(join(workshop.dataDir, 'files', 'incoming'));

  it(`${kills} kills in the middle: what was answered is whole, the rest is not there, drafts are gone`, async () => {
    const size = 2 * megabyte;
    const expected = await digestOf(sampleOfSize(contentType, size));
    const answered = new Set<string>();
    const begun = new Set<string>();
    for (let round = 0; round < kills; round++) {
      const program = await workshop.start();
      const auth = await signIn(program);
      let running = true;
      const lines = Array.from({ length: 8 }, async (_, line) => {
        while (running) {
          const announced = await announce(program, auth, size).catch(() => null);
          if (!announced) return;
          begun.add(announced.fileKey);
          // Half of them are slow, so that the blow finds some in the middle.
          const stored = await put(announced.uploadUrl, size, line % 2 ? 20 : 0).catch(() => null);
          if (stored?.status === 200) answered.add(announced.fileKey);
        }
      });
      const before = answered.size;
      await eventually('uploads are answered', async () => answered.size > before + 8 && drafts().length > 0);
      await sleep(workshop.random() * 200);
      await program.kill();
      running = false;
      await Promise.all(lines);
      assert.ok(drafts().length > 0, 'the kill came in the middle of an upload');
    }
    const program = await workshop.start();
    assert.deepEqual(drafts(), []);
    const auth = await signIn(program);
    let absent = 0;
    for (const fileKey of begun) {
      const { status, body } = await program.call('GET', `/attachments/${fileKey}`, undefined, auth);
      if (status === 404) {
        absent++;
        assert.ok(!answered.has(fileKey), 'an upload that was answered is missing');
        continue;
      }
      const { bytes } = await send(body.downloadUrl, { method: 'GET' });
      assert.equal(createHash('sha256').update(bytes).digest('hex'), expected, 'a file is not whole');
    }
    assert.ok(absent > 0);
    console.log(`${kills} kills, ${answered.size} uploads answered and whole, ${absent} not there`);
    // The next case goes on with it.
    survivor = program;
  });

  it(`${atOnce} uploads of 10 MB at once: the service grows by less than 200 MB`, async () => {
    const size = 10 * megabyte;
    const program = survivor ?? (await workshop.start());
    const auth = await signIn(program);
    // Once, so that what every upload needs is loaded.
    await put((await announce(program, auth, size)).uploadUrl, size);
    const memory = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))![1]) * 1024;
    const announced = await Promise.all(Array.from({ length: atOnce }, () => announce(program, auth, size)));
    const before = memory();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, memory());
    }, 20);
    // The pauses keep all of them open at the same time.
    const stored = await Promise.all(announced.map(({ uploadUrl }) => put(uploadUrl, size, 5)));
    clearInterval(watch);
    assert.ok(stored.every(({ status }) => status === 200));
    const growth = most - before;
    console.log(
      `${atOnce} uploads of 10 MB: ${Math.round(before / megabyte)} MB before, ${Math.round(growth / megabyte)} MB more at most`,
    );
    assert.ok(growth < maxGrowth, `${growth} bytes`);
    assert.equal(await program.stop(), 0);
  });
});

async function* paced(size: number, pauseMs: number): AsyncGenerator<Buffer> {
  for await (const chunk of sampleOfSize(contentType, size)) {
    if (pauseMs > 0) await sleep(pauseMs);
    yield chunk;
  }
}

async function digestOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
