import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { filesOf } from '../../../test/support/files.ts';
import { hostileFiles, polyglotFiles } from '../../../test/support/hostile-files.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { sampleFiles } from '../../../test/support/sample-files.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import { readRange } from './attachments.download.ts';
import { createFileUrls, type FileUse } from './attachments.urls.ts';

describe('downloads', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  before(async () => {
    service = await joinTestService();
    files = await filesOf(service);
  });
  after(() => service.close());

  const urlOf = async (type: string, bytes: Buffer, name?: string) =>
    (await files.describe((await files.upload(type, bytes, name)).fileKey)).downloadUrl as string;

  it('every type goes out inert: never guessed, sandboxed, and saved unless picture, sound or film', async () => {
    for (const [type, make] of Object.entries(sampleFiles)) {
      const { status, headers, bytes } = await files.fetchFile(await urlOf(type, make()));
      assert.equal(status, 200);
      assert.deepEqual(bytes, make(), type);
      const shown = /^(image|audio|video)\//.test(type);
      assert.equal(headers['content-type'], type.startsWith('text/') ? `${type}; charset=utf-8` : type);
      assert.equal(headers['content-disposition']!.split(';')[0], shown ? 'inline' : 'attachment', type);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(headers['content-security-policy']!, /^sandbox; default-src 'none'/);
      assert.match(headers['cache-control']!, /^private, max-age=3\d\d\d, immutable$/);
      assert.equal(headers['content-length'], String(bytes.length));
      assert.equal(headers['accept-ranges'], 'bytes');
    }
  });

  it('pages and scripts come in as text only, and go out as files to be saved', async () => {
    const texts = hostileFiles().map((file) => ({ ...file, contentType: 'text/plain' }));
    for (const { name, bytes, contentType } of [...texts, ...polyglotFiles()]) {
      const { headers } = await files.fetchFile(await urlOf(contentType, bytes, name));
      assert.equal(headers['x-content-type-options'], 'nosniff', name);
      assert.match(headers['content-security-policy']!, /^sandbox;(?!.*allow-)/);
      assert.equal(headers['content-type']!.split(';')[0], contentType);
      if (!contentType.startsWith('image/')) assert.match(headers['content-disposition']!, /^attachment;/);
    }
  });

  it('206 parts of a file, 416 beyond its end, 304 for what is known, HEAD for the headers alone', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, i) => 97 + (i % 26)));
    const url = await urlOf('text/plain', bytes);
    const get = (range: string, more: Record<string, string> = {}) =>
      files.fetchFile(url, { range, ...more });
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=10-19', 10, 20],
      ['bytes=990-', 990, 1_000],
      ['bytes=-10', 990, 1_000],
      ['bytes=500-99999', 500, 1_000],
      ['bytes=-99999', 0, 1_000],
    ] as const) {
      const part = await get(range);
      assert.equal(part.status, 206, range);
      assert.deepEqual(part.bytes, bytes.subarray(start, end), range);
      assert.equal(part.headers['content-range'], `bytes ${start}-${end - 1}/1000`);
      assert.equal(part.headers['x-content-type-options'], 'nosniff');
    }
    for (const range of ['bytes=1000-', 'bytes=5000-6000', 'bytes=-0']) {
      const answer = await get(range);
      assert.deepEqual([answer.status, answer.headers['content-range']], [416, 'bytes */1000'], range);
      assert.equal(answer.body.code, 'VALIDATION_FAILED');
    }
    for (const range of ['bytes=0-1,5-6', 'bytes=9-1', 'lines=0-1', 'bytes=a-b', 'bytes=-']) {
      assert.deepEqual([(await get(range)).status, (await get(range)).bytes.length], [200, 1_000], range);
    }
    const { etag } = (await files.fetchFile(url)).headers;
    assert.equal((await files.fetchFile(url, { 'if-none-match': etag! })).status, 304);
    assert.equal((await get('bytes=0-1', { 'if-range': etag! })).status, 206);
    assert.equal((await get('bytes=0-1', { 'if-range': '"other"' })).status, 200);
    const head = await files.fetchFile(url, {}, 'HEAD');
    assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, '1000', 0]);
  });

  it('403 in the common shape: expired, altered, for another use, without a signature', async () => {
    const announced = (await files.announce({ contentType: 'text/plain', size: 5 })).body;
    const download = await urlOf('text/plain', Buffer.from('Hello'));
    const forbidden = async (answer: ReturnType<typeof files.fetchFile>, what: string) => {
      const { status, body } = await answer;
      assert.equal(status, 403, what);
      assert.deepEqual(Object.keys(body).sort(), ['code', 'error', 'message', 'requestId']);
      assert.deepEqual([body.error, body.code], ['Forbidden', 'FORBIDDEN'], what);
    };
    const put = (url: string) => files.put(url, Buffer.from('Hello'), { 'content-type': 'text/plain' });
    await forbidden(put(download), 'a download used for an upload');
    await forbidden(files.fetchFile(announced.uploadUrl), 'an upload used for a download');
    const bare = new URL(download).pathname;
    await forbidden(files.fetchFile(bare), 'no signature');
    await forbidden(files.fetchFile(`${download}&x=1`), 'something added');
    await forbidden(files.fetchFile(`${download}&size=5`), 'given twice');
    const of = (change: Partial<FileUse>) => {
      const query = new URL(download).searchParams;
      const [, , accountId, fileKey] = bare.split('/') as [string, string, string, string];
      const use: FileUse = {
        method: 'GET',
        accountId,
        fileKey,
        contentType: query.get('type')!,
        size: 5,
        variant: 'file',
        expiresAt: Number(query.get('expires')),
      };
      return createFileUrls(service.context.secrets).sign({ ...use, ...change });
    };
    assert.equal((await files.fetchFile(of({}))).status, 200);
    await forbidden(files.fetchFile(of({ expiresAt: service.context.clock.now() - 1 })), 'expired');
    assert.equal((await put(announced.uploadUrl)).status, 200, 'none of this used up the upload');
  });
});

describe('signed addresses', () => {
  const settings = { seed, numRuns: runsOf(300) };
  const urls = createFileUrls(createSecrets('a key for tests that is long enough'));
  const place = fc.record({ accountId: fc.uuid(), fileKey: fc.uuid() });
  const use: fc.Arbitrary<FileUse> = fc
    .tuple(
      place,
      fc.record({
        method: fc.constantFrom('GET' as const, 'PUT' as const),
        contentType: fc.string(),
        size: fc.integer({ min: 1 }),
        variant: fc.constantFrom('file' as const, 'thumbnail' as const),
        expiresAt: fc.integer({ min: 2 }),
      }),
    )
    .map(([where, what]) => ({ ...where, ...what }));
  const readBack = (path: string) => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    const [, , accountId, fileKey] = pathname.split('/') as [string, string, string, string];
    return { place: { accountId, fileKey }, query: Object.fromEntries(searchParams) };
  };

  it('are read back as they were signed', () => {
    fc.assert(
      fc.property(use, (one) => {
        const { place: where, query } = readBack(urls.sign(one));
        assert.deepEqual(urls.verify(one.method, where, query, one.expiresAt - 1), one);
      }),
      settings,
    );
  });

  it('altered in any one part they are refused', () => {
    fc.assert(
      fc.property(
        use,
        use,
        fc.constantFrom('accountId', 'fileKey', 'type', 'size', 'variant', 'expires', 'signature', 'method'),
        (one, other, part) => {
          const first = readBack(urls.sign(one));
          const second = readBack(urls.sign(other));
          const where = { ...first.place };
          const query: Record<string, string> = { ...first.query };
          let method: string = one.method;
          if (part === 'method') method = one.method === 'GET' ? 'PUT' : 'GET';
          else if (part === 'accountId' || part === 'fileKey') where[part] = second.place[part];
          else query[part] = second.query[part]!;
          const same =
            method === one.method &&
            where.accountId === one.accountId &&
            where.fileKey === one.fileKey &&
            Object.entries(first.query).every(([name, value]) => query[name] === value);
          fc.pre(!same);
          assert.throws(() => urls.verify(method, where, query, 1), { status: 403 });
        },
      ),
      settings,
    );
  });

  it('a single character more, less or other is refused', () => {
    fc.assert(
      fc.property(use, fc.nat(), fc.constantFrom('drop', 'double', 'change'), (one, at, how) => {
        const path = urls.sign(one);
        const i = path.indexOf('?') + 1 + (at % (path.length - path.indexOf('?') - 1));
        const piece = { drop: '', double: path[i]! + path[i]!, change: path[i] === 'a' ? 'b' : 'a' }[how];
        const altered = path.slice(0, i) + piece + path.slice(i + 1);
        const { place: where, query } = readBack(altered);
        // Two spellings of the same text, such as %7e and ~, are equal.
        fc.pre(JSON.stringify(query) !== JSON.stringify(readBack(path).query));
        assert.throws(() => urls.verify(one.method, where, query, 1), { status: 403 });
      }),
      settings,
    );
  });

  it('a range is always within the file', () => {
    const header = fc.oneof(
      fc.string(),
      fc.tuple(fc.option(fc.nat()), fc.option(fc.nat())).map(([a, b]) => `bytes=${a ?? ''}-${b ?? ''}`),
    );
    fc.assert(
      fc.property(header, fc.integer({ min: 1, max: 10_000 }), (text, size) => {
        const range = readRange(text, size);
        if (range === null || range === 'unsatisfiable') return;
        assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
      }),
      settings,
    );
  });
});
