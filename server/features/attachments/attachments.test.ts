import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { filesOf } from '../../../test/support/files.ts';
import { sampleFiles } from '../../../test/support/sample-files.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { pruneFiles } from './attachments.ts';

const text = Buffer.from('Hello');
const plain = { contentType: 'text/plain', size: text.length };

describe('attachments', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let talk: ReturnType<typeof conversationsOf>;
  before(async () => {
    service = await joinTestService();
    files = await filesOf(service);
    talk = conversationsOf(service);
  });
  after(() => service.close());

  const now = () => service.context.clock.now();
  const drafts = () => readdirSync(join(service.context.config.dataDir, 'files', 'incoming'));
  const expectRefusal = (
    answer: { status: number; body: Json },
    status: number,
    code: string,
    message: RegExp,
  ) => {
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error', 'message', 'requestId']);
    assert.equal(answer.body.code, code);
    assert.match(answer.body.message, message);
  };
  const refused = async (
    answer: Promise<{ status: number; body: Json }>,
    status: number,
    code: string,
    message: RegExp,
  ) => expectRefusal(await answer, status, code, message);

  it('200 an address for 15 minutes, one PUT, then a download for an hour with the same bytes', async () => {
    const asked = now();
    const { status, body } = await files.announce({ fileName: 'hello.txt', ...plain });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['expiresAt', 'fileKey', 'uploadUrl']);
    assert.ok(Math.abs(body.expiresAt - asked - 15 * 60_000) < 5_000);
    assert.doesNotMatch(body.fileKey, /\//);
    assert.equal((await service.call('GET', `/attachments/${body.fileKey}`)).status, 404);

    const put = await files.put(body.uploadUrl, text, { 'content-type': 'text/plain' });
    assert.deepEqual([put.status, put.body], [200, { message: 'uploaded' }]);
    const described = await files.describe(body.fileKey);
    assert.deepEqual(
      [described.contentType, described.size, described.fileName],
      ['text/plain', 5, 'hello.txt'],
    );
    assert.ok(Math.abs(described.expiresAt - now() - 3_600_000) < 5_000);
    const fetched = await files.fetchFile(described.downloadUrl);
    assert.deepEqual([fetched.status, fetched.bytes.toString()], [200, 'Hello']);
    assert.deepEqual(drafts(), []);
  });

  it('409 a second PUT, also of two at once; what came first stays', async () => {
    const { body } = await files.announce(plain);
    const type = { 'content-type': 'text/plain' };
    const both = await Promise.all(
      ['first', 'other'].map((word) => files.put(body.uploadUrl, Buffer.from(word), type)),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const winner = both[0]!.status === 200 ? 'first' : 'other';
    await refused(
      files.put(body.uploadUrl, Buffer.from('third'), type),
      409,
      'CONFLICT',
      /already been uploaded/,
    );
    const { downloadUrl } = await files.describe(body.fileKey);
    assert.equal((await files.fetchFile(downloadUrl)).bytes.toString(), winner);
  });

  it('400 another Content-Type, another size, a compressed body; nothing is kept, and it can be tried again', async () => {
    const { body } = await files.announce(plain);
    const put = (bytes: Buffer | AsyncIterable<Buffer>, headers: Record<string, string>) =>
      files.put(body.uploadUrl, bytes, headers);
    async function* chunked(...words: string[]) {
      for (const word of words) yield Buffer.from(word);
    }
    const type = { 'content-type': 'text/plain' };
    await refused(put(text, { 'content-type': 'text/csv' }), 400, 'VALIDATION_FAILED', /Content-Type/);
    await refused(put(text, {}), 400, 'VALIDATION_FAILED', /Content-Type/);
    await refused(put(Buffer.from('Hell'), type), 400, 'VALIDATION_FAILED', /exactly 5 bytes/);
    await refused(put(Buffer.alloc(100_000), type), 400, 'VALIDATION_FAILED', /exactly 5 bytes/);
    await refused(put(chunked('He', 'l'), type), 400, 'VALIDATION_FAILED', /exactly 5 bytes/);
    await refused(put(chunked('Hel', 'lo!'), type), 400, 'VALIDATION_FAILED', /exactly 5 bytes/);
    await refused(put(text, { ...type, 'content-encoding': 'gzip' }), 400, 'VALIDATION_FAILED', /compressed/);
    await refused(put(Buffer.from('He\0lo'), type), 400, 'VALIDATION_FAILED', /NUL/);
    assert.deepEqual(drafts(), []);
    assert.equal((await service.call('GET', `/attachments/${body.fileKey}`)).status, 404);
    assert.equal(
      (await put(chunked('Hel', 'lo'), { 'content-type': 'TEXT/plain;charset=utf-8' })).status,
      200,
    );
  });

  it('400 wrong announcements, by name', async () => {
    const announce = (change: object) =>
      service.call('POST', '/messages/upload', { body: { fileName: 'f', ...plain, ...change } });
    for (const [change, message] of [
      [{ size: 0 }, /size must be at least 1/],
      [{ size: 1.5 }, /size/],
      [{ size: '5' }, /size/],
      [{ fileName: '' }, /fileName/],
      [{ fileName: 'a\0b' }, /fileName contains a NUL/],
      [{ fileName: 'x'.repeat(1_025) }, /fileName/],
      [{ contentType: 'image/svg+xml' }, /contentType/],
      [{ contentType: 'text/html' }, /contentType/],
      [{ contentType: 'application/vnd.apple.mpegurl' }, /contentType/],
      [{ contentType: 'application/octet-stream' }, /contentType/],
      [{ contentType: 'image/png\r\nx: y' }, /contentType/],
      [{ contentType: 'text/plain; name=é' }, /contentType/],
      [{ fileName: undefined }, /fileName is required/],
    ] as const) {
      await refused(announce(change), 400, 'VALIDATION_FAILED', message);
    }
  });

  it('hostile names are kept as sent, lead nowhere, and go out harmless', async () => {
    for (const name of [
      '../../../etc/passwd',
      '..\\..\\x.txt',
      '"; filename=evil.exe',
      'a\r\nSet-Cookie: x=1',
      '‮txt.exe',
      '. .',
      'né 100%.txt',
    ]) {
      const { fileKey } = await files.upload('text/plain', text, name);
      const described = await files.describe(fileKey);
      assert.equal(described.fileName, name);
      const { headers } = await files.fetchFile(described.downloadUrl);
      const disposition = headers['content-disposition']!;
      assert.match(
        disposition,
        /^attachment; filename="[^"\\/\r\n]*"; filename\*=UTF-8''[\w%.!#$&+^`|~-]*$/,
        name,
      );
      assert.doesNotMatch(decodeURIComponent(disposition.split("''")[1]!), /\.\.\/|‮/);
      assert.equal(headers['set-cookie'], undefined);
    }
    for (const key of ['..%2f..%2fetc%2fpasswd', '%00', 'x'.repeat(2_000)]) {
      assert.equal((await service.call('GET', `/attachments/${key}`)).status, 404, key);
    }
  });

  describe('in messages', () => {
    const refusedMessage = async (attachments: object[], message: RegExp, content = '') => {
      const sessionId = unique('refused');
      const answer = await talk.send({ sessionId, content, attachments });
      expectRefusal(answer, 400, 'VALIDATION_FAILED', message);
      assert.equal((await service.call('GET', `/sessions/${sessionId}`)).status, 404, 'nothing was stored');
    };

    it('202 with a file that was uploaded, in several messages; by an operator too', async () => {
      const ref = await files.upload('text/plain', text, 'hello.txt');
      const sessionId = unique('files');
      for (const content of ['', 'again']) {
        assert.equal((await talk.send({ sessionId, content, attachments: [ref, ref] })).status, 202);
      }
      const { channelId } = (await service.call('GET', `/sessions/${sessionId}`)).body;
      const reply = await service.call(
        'POST',
        `/channels/${channelId}/sessions/${sessionId}/agent-messages`,
        {
          body: { attachments: [{ ...ref, extra: 1 }] },
        },
      );
      assert.deepEqual([reply.status, reply.body.message.attachments], [201, [ref]]);
      const stored = (await talk.messages(sessionId)).map(({ attachments }) => attachments);
      assert.deepEqual(
        stored.filter((list) => list.length > 0).sort((a, b) => a.length - b.length),
        [[ref], [ref, ref], [ref, ref]],
      );
    });

    it('parameters of a type do not matter', async () => {
      const ref = await files.upload('audio/opus', sampleFiles['audio/opus']!());
      const attachments = [{ ...ref, contentType: 'audio/opus; codecs=opus' }];
      assert.equal((await talk.send({ content: '', attachments })).status, 202);
    });

    it('400 a file that is not uploaded, of another account, of another type or size', async () => {
      const ref = await files.upload('text/plain', text);
      const pending = await files.announce(plain);
      const other = await service.createAccount();
      const foreign = await files.upload('text/plain', text, 'f', { token: other.token });
      const absent = /attachments\[0\]\.fileKey does not belong to an uploaded file/;
      await refusedMessage([{ ...ref, fileKey: pending.body.fileKey }], absent);
      await refusedMessage([foreign], absent);
      await refusedMessage([{ ...ref, fileKey: '../x' }], absent, 'with words');
      await refusedMessage([ref, { ...ref, contentType: 'text/csv' }], /attachments\[1\]\.contentType/);
      await refusedMessage([{ ...ref, size: 4 }], /attachments\[0\]\.size/);
      await refusedMessage([{ ...ref, contentType: 'text/html' }], /attachments\[0\]\.contentType/);
      assert.equal((await service.call('GET', `/attachments/${foreign.fileKey}`)).status, 404);
    });

    it('400 names the limit of the kind, of the number and of the sum', async () => {
      const ref = { fileKey: 'k', fileName: 'n', contentType: 'image/png', size: 1 };
      const mb = 1024 * 1024;
      await refusedMessage([{ ...ref, size: 10 * mb + 1 }], /at most 10 MB for image/);
      await refusedMessage(Array(11).fill(ref), /at most 10 items/);
      const film = { ...ref, contentType: 'video/mp4', size: 50 * mb };
      await refusedMessage([film, film, ref], /at most 100 MB in all/);
      await refusedMessage([film, film], /fileKey does not belong/);
    });
  });

  it('files that no message names are removed after 24 hours, others stay', async () => {
    const [used, unused] = [await files.upload('text/plain', text), await files.upload('text/plain', text)];
    const pending = (await files.announce(plain)).body.fileKey;
    await talk.send({ attachments: [used] });
    const status = async (key: string) => (await service.call('GET', `/attachments/${key}`)).status;
    const age = (hours: number) =>
      service.context.db.transaction((tx) =>
        tx.query(sql`update attachments set created_at = ${now() - hours * 3_600_000}`),
      );
    await age(23.9);
    await pruneFiles(service.context);
    assert.deepEqual([await status(used.fileKey), await status(unused.fileKey)], [200, 200]);
    await age(24.1);
    const { downloadUrl } = await files.describe(unused.fileKey);
    await pruneFiles(service.context);
    assert.deepEqual([await status(used.fileKey), await status(unused.fileKey)], [200, 404]);
    assert.equal((await files.fetchFile(downloadUrl)).status, 404);
    const kept = await service.context.db.query<{ key: string }>(
      sql`select file_key as key from attachments`,
    );
    assert.ok(!kept.some(({ key }) => key === unused.fileKey || key === pending));
    assert.equal((await talk.send({ attachments: [unused] })).status, 400);
  });

  it("an account's usage counts its stored files and their bytes", async () => {
    const { token } = await service.createAccount();
    const usage = async () => (await service.call('GET', '/attachments/usage', { token })).body;
    assert.deepEqual(await usage(), { files: 0, bytes: 0 });
    await files.upload('text/plain', text, 'f', { token });
    await files.upload('image/png', sampleFiles['image/png']!(), 'p', { token });
    await files.announce(plain, { token });
    assert.deepEqual(await usage(), { files: 2, bytes: 5 + sampleFiles['image/png']!().length });
  });
});
