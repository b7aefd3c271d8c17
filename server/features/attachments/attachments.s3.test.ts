/** The same files in a bucket, on a real S3-compatible server. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { filesOf, send } from '../../../test/support/files.ts';
import { type S3Server, startS3Server } from '../../../test/support/s3-server.ts';
import { png, sampleFiles } from '../../../test/support/sample-files.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { probeBlobStore } from '../../platform/blobs/blob-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { tidyUploadHandler } from './attachments.jobs.ts';
import { blobKey, uploadKey } from './attachments.keys.ts';
import { findStoredFile, pruneFiles, storeConverted, withLocalFile } from './attachments.ts';

const text = Buffer.from('Hello');

describe('attachments in a bucket', () => {
  let bucket: S3Server;
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let talk: ReturnType<typeof conversationsOf>;
  let accountId: string;
  before(async () => {
    bucket = await startS3Server();
    service = await startTestService({ env: bucket.env, worker: true });
    files = await filesOf(service);
    talk = conversationsOf(service);
    accountId = service.admin.accountId;
  });
  after(async () => {
    await service.close();
    await bucket.stop();
  });

  const announce = async (bytes: Buffer, contentType: string) =>
    (await files.announce({ contentType, size: bytes.length })).body;
  const put = (url: string, body: Buffer, contentType: string) =>
    send(url, { method: 'PUT', headers: { 'content-type': contentType }, body });
  const upload = async (bytes: Buffer, contentType: string, fileName = 'f') => {
    const { uploadUrl, fileKey } = await announce(bytes, contentType);
    assert.ok(uploadUrl.startsWith(`${bucket.url}/files/uploads/`), uploadUrl);
    const stored = await put(uploadUrl, bytes, contentType);
    assert.equal(stored.status, 200, stored.bytes.toString());
    return { fileKey, fileName, contentType, size: bytes.length };
  };
  const status = async (key: string) => (await service.call('GET', `/attachments/${key}`)).status;

  it('a file for knowledge is taken from the bucket, and read', async () => {
    const token = service.admin.jwt;
    const call = async (path: string, body?: object) =>
      (await service.call(body ? 'POST' : 'GET', `/knowledge${path}`, { token, ...(body && { body }) })).body;
    const { id } = await call('/sources', { name: 'Files', kind: 'files' });
    const page = Buffer.from('<p>Gr\u00fc\u00dfe</p>', 'latin1');
    const type = { fileName: 'a.html', contentType: 'text/html' };
    const { uploadUrl, fileKey } = await call(`/sources/${id}/upload`, { ...type, size: page.length });
    assert.ok(uploadUrl.startsWith(bucket.url), uploadUrl);
    const early = await call(`/sources/${id}/files`, { fileKey, fileName: 'a.html' });
    assert.match(early.message, /does not belong to a file that was uploaded/);
    assert.equal((await put(uploadUrl, page, 'text/html')).status, 200);
    const document = await call(`/sources/${id}/files`, { fileKey, fileName: 'a.html' });
    await eventually(
      async () => (await call(`/documents/${document.id}`)).text === 'Gr\u00fc\u00dfe',
      30_000,
    );
  });

  it('the address is at the bucket and accepts exactly what was announced', async () => {
    const { uploadUrl, fileKey } = await announce(text, 'text/plain');
    assert.equal(await status(fileKey), 404, 'before the upload');
    assert.equal((await put(uploadUrl, text, 'text/html')).status, 403, 'another type');
    assert.equal((await put(uploadUrl, Buffer.from('Hello!'), 'text/plain')).status, 403, 'another size');
    const altered = new URL(uploadUrl);
    altered.searchParams.set('X-Amz-Expires', '9999');
    assert.equal((await put(altered.href, text, 'text/plain')).status, 403, 'another time');
    const elsewhere = uploadUrl.replace(fileKey, '01890000-0000-7000-8000-000000000000');
    assert.equal((await put(elsewhere, text, 'text/plain')).status, 403, 'another file');
    assert.equal((await put(uploadUrl, text, 'text/plain')).status, 200);
  });

  it('comes down through this service, whole and in parts, with the same headers', async () => {
    const { fileKey } = await upload(text, 'text/plain', 'hello.txt');
    const { downloadUrl, size } = await files.describe(fileKey);
    assert.equal(size, 5);
    const whole = await files.fetchFile(downloadUrl);
    assert.deepEqual([whole.status, whole.bytes.toString()], [200, 'Hello']);
    assert.equal(whole.headers['x-content-type-options'], 'nosniff');
    assert.match(whole.headers['content-disposition']!, /^attachment/);
    const part = await files.fetchFile(downloadUrl, { range: 'bytes=1-3' });
    assert.deepEqual([part.status, part.bytes.toString()], [206, 'ell']);
    assert.equal((await files.fetchFile(`${downloadUrl}0`)).status, 403);
  });

  it('every type is looked at when it is first asked for; a message is the first to ask', async () => {
    for (const [contentType, make] of Object.entries(sampleFiles)) {
      const ref = await upload(make(), contentType);
      assert.equal((await talk.send({ content: '', attachments: [ref] })).status, 202, contentType);
    }
  });

  it('400 a file that is not what it says, or not there; it may be put again', async () => {
    const bytes = sampleFiles['image/png']!();
    const { uploadUrl, fileKey } = await announce(bytes, 'image/png');
    const ref = { fileKey, fileName: 'f', contentType: 'image/png', size: bytes.length };
    const refuse = async (message: RegExp) => {
      const answer = await talk.send({ content: '', attachments: [ref] });
      assert.equal(answer.status, 400);
      assert.match(answer.body.message, message);
    };
    await refuse(/attachments\[0\]\.fileKey does not belong to an uploaded file/);
    await put(uploadUrl, Buffer.alloc(bytes.length, 'x'), 'image/png');
    await refuse(/attachments\[0\]: the content is not image\/png/);
    assert.equal(await status(fileKey), 404);
    await put(uploadUrl, bytes, 'image/png');
    assert.equal((await talk.send({ content: '', attachments: [ref] })).status, 202);
  });

  it('a second PUT changes nothing once the file was seen, and is tidied away', async () => {
    const { uploadUrl, fileKey } = await announce(text, 'text/plain');
    await put(uploadUrl, text, 'text/plain');
    const { downloadUrl } = await files.describe(fileKey);
    assert.equal((await put(uploadUrl, Buffer.from('other'), 'text/plain')).status, 200);
    assert.equal(
      (await files.fetchFile((await files.describe(fileKey)).downloadUrl)).bytes.toString(),
      'Hello',
    );
    assert.equal((await files.fetchFile(downloadUrl)).bytes.toString(), 'Hello');
    const { blobs, db } = service.context;
    assert.ok(await blobs.withLocalFile(uploadKey(accountId, fileKey), async () => true));
    const [job] = await db.query<{ payload: Record<string, unknown> }>(
      sql`select payload from jobs where kind = 'attachment-tidy-upload' and dedupe_key = ${fileKey}`,
    );
    await tidyUploadHandler(service.context)({ accountId, payload: job!.payload } as never);
    assert.equal(await blobs.withLocalFile(uploadKey(accountId, fileKey), async () => true), null);
  });

  it('what is uploaded after its account was deleted is removed, also if it takes long', async () => {
    const { blobs, db } = service.context;
    const gone = await service.createAccount('Gone');
    const announced = await files.announce({ contentType: 'text/plain', size: 5 }, { token: gone.token });
    const { uploadUrl, fileKey } = announced.body;
    const place = uploadKey(gone.accountId, fileKey);
    const isThere = async () => (await blobs.withLocalFile(place, async () => true)) !== null;
    const deletion = await service.call('DELETE', `/admin/accounts/${gone.accountId}?name=Gone`, {
      token: service.admin.jwt,
    });
    assert.equal(deletion.status, 202);
    await eventually(
      async () => (await db.query(sql`select from jobs where kind = 'account_deletion'`)).length === 0,
      60_000,
    );
    const waiting = () =>
      db.query<{ late: boolean }>(sql`
        select run_at > now() + interval '5 minutes' as late from jobs
        where kind = 'attachment-tidy-upload' and dedupe_key = ${fileKey} and lease_token is null`);
    const setDue = () =>
      db.autocommit(
        sql`update jobs set run_at = now() where kind = 'attachment-tidy-upload' and dedupe_key = ${fileKey}`,
      );
    assert.deepEqual(await waiting(), [{ late: true }], 'when the address has expired');

    assert.equal((await put(uploadUrl, text, 'text/plain')).status, 200, 'it is still valid');
    assert.ok(await isThere());
    await setDue();
    await eventually(async () => !(await isThere()));
    await eventually(async () => (await waiting())[0]?.late === true);
    assert.equal((await put(uploadUrl, text, 'text/plain')).status, 200);
    await db.autocommit(
      sql`update jobs set payload = payload || '{"again":1}' where dedupe_key = ${fileKey}`,
    );
    await setDue();
    await eventually(async () => !(await isThere()) && (await waiting()).length === 0);
  });

  it('pictures get their size and thumbnail', async () => {
    const { fileKey } = await upload(png(2_000, 500), 'image/png');
    await files.describe(fileKey);
    await eventually(async () => (await files.describe(fileKey)).thumbnailUrl !== undefined);
    const { width, height, thumbnailUrl } = await files.describe(fileKey);
    assert.deepEqual([width, height], [2_000, 500]);
    const thumbnail = await files.fetchFile(thumbnailUrl);
    assert.deepEqual([thumbnail.status, thumbnail.headers['content-type']], [200, 'image/webp']);
  });

  it('what is made of a file is stored beside it, and unused files are removed', async () => {
    const { fileKey } = await upload(sampleFiles['audio/wav']!(), 'audio/wav');
    await files.describe(fileKey);
    const size = await withLocalFile(service.context.blobs, accountId, fileKey, async (path) => path.length);
    assert.ok(size);
    const made = { maxBytes: 100, fileName: 'voice.ogg', contentType: 'audio/ogg; codecs=opus' };
    const convert = () =>
      storeConverted(service.context, accountId, fileKey, { ...made, chunks: bytesOf('opus') });
    const [first, second] = await Promise.all([convert(), convert()]);
    assert.deepEqual(first, second, 'the first one counts');
    const { blobs } = service.context;
    const stored = await blobs.open(blobKey(accountId, first.fileKey));
    assert.equal(await new Response(Readable.toWeb(stored!) as ReadableStream).text(), 'opus');

    await service.context.db.transaction((tx) => tx.query(sql`update attachments set created_at = 0`));
    await pruneFiles(service.context);
    assert.equal(await status(fileKey), 404);
    assert.equal(await blobs.open(blobKey(accountId, fileKey)), null);
    assert.ok(await findStoredFile(service.context.db, accountId, first.fileKey));
  });

  it('doctor can tell whether the bucket takes files; 503 while it is away', async () => {
    await probeBlobStore(service.context.blobs);
    const away = await startTestService({ env: { ...bucket.env, S3_BUCKET: 'absent' } });
    try {
      await assert.rejects(probeBlobStore(away.context.blobs), { status: 503 });
    } finally {
      await away.close();
    }
    const { fileKey } = await upload(text, 'text/plain');
    const { downloadUrl } = await files.describe(fileKey);
    await bucket.stop();
    const answer = await files.fetchFile(downloadUrl);
    assert.deepEqual([answer.status, answer.body.code], [503, 'UNAVAILABLE']);
  });
});

async function* bytesOf(word: string): AsyncGenerator<Buffer> {
  yield Buffer.from(word);
}
