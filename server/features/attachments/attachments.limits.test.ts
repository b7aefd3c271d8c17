/**
 * Every row of the table of limits, at the limit and one byte over, as real uploads. The limit belongs to the kind: a run
 * uploads a third of its types at their limit and the others small, a full run all of them.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { attachmentKinds } from '../../../contract/limits.ts';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { filesOf } from '../../../test/support/files.ts';
import { sampleOf } from '../../../test/support/sample.ts';
import { sampleOfSize } from '../../../test/support/sample-files.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

const megabyte = 1024 * 1024;
/** The table of the specification, repeated. */
const table = [
  { kind: 'image', megabytes: 10, types: 'image/jpeg image/png image/gif image/webp' },
  {
    kind: 'audio',
    megabytes: 25,
    types:
      'audio/mpeg audio/wav audio/x-wav audio/ogg audio/mp4 audio/x-m4a audio/webm audio/aac audio/amr audio/opus',
  },
  { kind: 'video', megabytes: 50, types: 'video/mp4 video/webm video/quicktime' },
  {
    kind: 'document',
    megabytes: 25,
    types: `application/pdf application/msword application/vnd.ms-excel application/vnd.ms-powerpoint
      application/vnd.openxmlformats-officedocument.wordprocessingml.document
      application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
      application/vnd.openxmlformats-officedocument.presentationml.presentation text/plain text/csv`,
  },
].map(({ types, ...row }) => ({ ...row, types: types.split(/\s+/) }));

const office = 'application/vnd.openxmlformats-officedocument';
/** Their bytes are read as those of another type, which is uploaded at its limit. */
const readAsAnother = [
  'audio/x-wav',
  'audio/x-m4a',
  'audio/opus',
  'audio/webm',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  `${office}.spreadsheetml.sheet`,
  `${office}.presentationml.presentation`,
  'text/csv',
];

describe('the limits of attachments', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let talk: ReturnType<typeof conversationsOf>;
  before(async () => {
    service = await joinTestService();
    files = await filesOf(service);
    talk = conversationsOf(service);
  });
  after(() => service.close());

  const upload = async (contentType: string, size: number) => {
    const announced = await files.announce({ contentType, size });
    assert.equal(announced.status, 200, `${contentType} of ${size}: ${announced.text}`);
    const put = await files.put(announced.body.uploadUrl, sampleOfSize(contentType, size), {
      'content-type': contentType,
      'content-length': String(size),
    });
    assert.equal(put.status, 200, `${contentType}: ${put.bytes}`);
    return { fileKey: announced.body.fileKey as string, fileName: 'f', contentType, size };
  };

  it('the table has every type and no other', () => {
    for (const { kind, types } of table) {
      assert.deepEqual([...attachmentKinds[kind as 'image'].types].sort(), types.sort());
    }
  });

  for (const { kind, megabytes, types } of table) {
    it(`${kind}: ${megabytes} MB are taken, one byte more is a 400 that names the limit`, async () => {
      const most = megabytes * megabyte;
      const named = new RegExp(`at most ${megabytes} MB for ${kind} files`);
      const readAlone = types.filter((contentType) => !readAsAnother.includes(contentType));
      const large = new Set(sampleOf(readAlone, 1 / 3, kind));
      for (const contentType of types) {
        assert.equal((await files.announce({ contentType, size: most })).status, 200, contentType);
        const ref = await upload(contentType, large.has(contentType) ? most : 8_192);
        assert.equal((await talk.send({ attachments: [ref] })).status, 202, contentType);
        const over = await files.announce({ contentType, size: most + 1 });
        assert.equal(over.status, 400, contentType);
        assert.match(over.body.message, named);
        const sent = await talk.send({ attachments: [{ ...ref, size: most + 1 }] });
        assert.equal(sent.status, 400, contentType);
        assert.match(sent.body.message, named);
      }
    });
  }

  it('a message: 10 files and 100 MB in all are taken, one more file or byte is not', async () => {
    const film = await upload('video/mp4', 50 * megabyte);
    const one = await upload('text/plain', 25);
    const send = (attachments: object[]) => talk.send({ content: '', attachments });
    assert.equal((await send([film, film])).status, 202);
    assert.match((await send([film, film, one])).body.message, /at most 100 MB in all/);
    assert.equal((await send(Array(10).fill(one))).status, 202);
    assert.match((await send(Array(11).fill(one))).body.message, /at most 10 items/);
  });

  it('a byte more than was announced is refused while it comes', async () => {
    const [contentType, size] = ['image/png', 10 * megabyte];
    const { body } = await files.announce({ contentType, size });
    const put = await files.put(body.uploadUrl, sampleOfSize(contentType, size + 1), {
      'content-type': contentType,
    });
    assert.deepEqual([put.status, put.body.message], [400, `the body must have exactly ${size} bytes`]);
  });
});
