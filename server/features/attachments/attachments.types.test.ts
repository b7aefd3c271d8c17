/** Content types: which are accepted, and that only a rebuilt one is served. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { attachmentKinds } from '../../../contract/limits.ts';
import { hostileContentTypes } from '../../../test/support/content-types.ts';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { filesOf } from '../../../test/support/files.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { sampleFiles } from '../../../test/support/sample-files.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { blobKey } from './attachments.keys.ts';
import { cleanContentType, parseContentType } from './attachments.types.ts';

const gif = sampleFiles['image/gif']!();
const ogg = sampleFiles['audio/ogg']!();
const text = Buffer.from('Hello');
const types = Object.values(attachmentKinds).flatMap((kind) => [...kind.types]);

describe('content types', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let talk: ReturnType<typeof conversationsOf>;
  before(async () => {
    service = await startTestService();
    files = await filesOf(service);
    talk = conversationsOf(service);
  });
  after(() => service.close());

  const visitorUpload = async (contentType: string, bytes: Buffer) => {
    const { body } = await service.call('POST', '/widget/sessions', {
      token: null,
      body: { channel: 'web' },
    });
    // Uploads follow a first message.
    const first = await service.call('POST', '/widget/messages', {
      token: body.token,
      body: { clientId: randomUUID(), content: 'Hello' },
    });
    assert.equal(first.status, 202, first.text);
    return service.call('POST', '/widget/uploads', {
      token: body.token,
      body: bytes,
      headers: {
        'content-type': contentType,
        'content-length': String(bytes.length),
        'x-file-name': 'file',
      },
    });
  };

  it('400 another parameter, a comma, a quote or a second type: upload, widget, PUT and message', async () => {
    const { body: announced } = await files.announce({ contentType: 'image/gif', size: gif.length });
    const ref = await files.upload('image/gif', gif);
    for (const contentType of hostileContentTypes) {
      const asked = await files.announce({ contentType, size: gif.length });
      assert.equal(asked.status, 400, contentType);
      assert.match(asked.body.message, /^contentType /);
      assert.equal((await visitorUpload(contentType, gif)).status, 400, contentType);
      const sent = await talk.send({ content: '', attachments: [{ ...ref, contentType }] });
      assert.equal(sent.status, 400, contentType);
      assert.match(sent.body.message, /^attachments\[0\]\.contentType /);
      const put = await files.put(announced.uploadUrl, gif, { 'content-type': contentType });
      assert.equal(put.status, 400, contentType);
    }
    assert.equal((await files.put(announced.uploadUrl, gif, { 'content-type': 'image/gif' })).status, 200);
  });

  it('codecs of audio and charset=utf-8 of text are kept, in one form', async () => {
    for (const [declared, bytes, described, served] of [
      ['audio/ogg;codecs=opus', ogg, 'audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
      ['Audio/OGG ; Codecs=opus', ogg, 'audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
      ['audio/ogg', ogg, 'audio/ogg', 'audio/ogg'],
      ['text/plain;charset=UTF-8', text, 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
      ['text/plain', text, 'text/plain', 'text/plain; charset=utf-8'],
      [' image/gif ', gif, 'image/gif', 'image/gif'],
    ] as const) {
      const ref = await files.upload(declared, bytes);
      const { contentType, downloadUrl } = await files.describe(ref.fileKey);
      assert.equal(contentType, described, declared);
      assert.equal((await files.fetchFile(downloadUrl)).headers['content-type'], served, declared);
      assert.equal((await talk.send({ content: '', attachments: [ref] })).status, 202, declared);
    }
    assert.equal((await visitorUpload('audio/ogg;codecs=opus', ogg)).status, 201);
  });

  it('rows that an older release stored are served with the bare type, through old addresses too', async () => {
    for (const stored of hostileContentTypes) {
      const { fileKey } = await files.upload('image/gif', gif);
      await service.context.db.transaction((tx) =>
        tx.query(sql`update attachments set content_type = ${stored} where file_key = ${fileKey}`),
      );
      const { contentType, downloadUrl } = await files.describe(fileKey);
      assert.match(contentType, /^(image\/gif|text\/plain|audio\/ogg|application\/octet-stream)$/, stored);
      const { headers } = await files.fetchFile(downloadUrl);
      assert.equal(
        headers['content-type'],
        contentType === 'text/plain' ? 'text/plain; charset=utf-8' : contentType,
      );
    }
  });

  it('in a bucket the client’s own spelling is signed, and the object gets the rebuilt type', async () => {
    const bucket = await startS3Server();
    const stored = await startTestService({ env: bucket.env });
    try {
      const own = await filesOf(stored);
      const declared = 'Audio/Ogg;codecs=opus';
      const { body } = await own.announce({ contentType: declared, size: ogg.length });
      const put = await fetch(body.uploadUrl, {
        method: 'PUT',
        headers: { 'content-type': declared },
        body: new Uint8Array(ogg),
      });
      assert.equal(put.status, 200, await put.text());
      const { contentType, downloadUrl } = await own.describe(body.fileKey);
      assert.equal(contentType, 'audio/ogg; codecs=opus');
      assert.equal((await own.fetchFile(downloadUrl)).headers['content-type'], contentType);
      const object = await fetch(`${bucket.url}/files/${blobKey(stored.admin.accountId, body.fileKey)}`);
      assert.equal(object.headers.get('content-type'), contentType);
      assert.equal((await own.announce({ contentType: 'image/gif;,text/html', size: 5 })).status, 400);
    } finally {
      await stored.close();
      await bucket.stop();
    }
  });

  it('only known types with allowed parameters are served, whatever is stored', () => {
    const served = new RegExp(
      `^(?:application/octet-stream|(?:${types.join('|').replaceAll('.', '\\.')})(?:; (?:codecs=[\\w.+-]+|charset=utf-8))?)$`,
    );
    const piece = fc.oneof(
      fc.constantFrom(
        ...types,
        ';',
        ',',
        '"',
        '=',
        ' ',
        'codecs',
        'charset',
        'utf-8',
        'text/html',
        '\r\n',
        '\t',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const given = pieces.join('');
        assert.match(cleanContentType(given), served);
        const parsed = parseContentType(given);
        // Stable: what was parsed parses to itself.
        if (parsed !== null) assert.equal(parseContentType(parsed), parsed);
      }),
      { numRuns: runsOf(2_000), seed },
    );
  });
});
