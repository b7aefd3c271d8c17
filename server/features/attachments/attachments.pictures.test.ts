import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../../../test/support/eventually.ts';
import { filesOf } from '../../../test/support/files.ts';
import { hugePng } from '../../../test/support/sample-files.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('pictures', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  before(async () => {
    service = await joinTestService({ worker: true });
    files = await filesOf(service);
  });
  after(() => service.close());

  /** The description after processing. */
  const looked = async (contentType: string, bytes: Buffer): Promise<Json> => {
    const { fileKey } = await files.upload(contentType, bytes);
    await eventually(async () => {
      const waiting = await service.context.db.query(
        sql`select 1 from jobs where kind = 'attachment-picture' and dedupe_key = ${fileKey}`,
      );
      return waiting.length === 0;
    });
    return files.describe(fileKey);
  };
  /** From a file, as the service itself may read it; all other input is disabled. */
  const metadataOf = async (bytes: Buffer) => {
    const path = join(service.context.config.dataDir, 'looked-at');
    writeFileSync(path, bytes);
    return sharp(path).metadata();
  };
  const drawn = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#4080c0' } });

  it('every format gets its size and a small WebP that fits in 1024 pixels', async () => {
    const formats = {
      'image/jpeg': await drawn(3_000, 1_500).jpeg().toBuffer(),
      'image/png': await drawn(3_000, 1_500).png().toBuffer(),
      'image/gif': await drawn(3_000, 1_500).gif().toBuffer(),
      'image/webp': await drawn(3_000, 1_500).webp().toBuffer(),
    };
    for (const [type, bytes] of Object.entries(formats)) {
      const { width, height, thumbnailUrl } = await looked(type, bytes);
      assert.deepEqual([width, height], [3_000, 1_500], type);
      const { status, headers, bytes: small } = await files.fetchFile(thumbnailUrl);
      assert.deepEqual([status, headers['content-type']], [200, 'image/webp'], type);
      assert.match(headers['content-disposition']!, /^inline/);
      const shown = await metadataOf(small);
      assert.deepEqual([shown.format, shown.width, shown.height], ['webp', 1_024, 512], type);
    }
  });

  it('the thumbnail is upright and has no location; the original is unchanged', async () => {
    const exif = {
      IFD0: { Make: 'Camera of Zoë' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' },
    };
    const bytes = await drawn(400, 200)
      .withExif(exif)
      .withMetadata({ orientation: 6 })
      .withExifMerge(exif)
      .jpeg()
      .toBuffer();
    assert.ok(bytes.includes('Camera of Zo') && (await metadataOf(bytes)).exif);
    const { width, height, thumbnailUrl, downloadUrl } = await looked('image/jpeg', bytes);
    assert.deepEqual([width, height], [200, 400]);
    const small = (await files.fetchFile(thumbnailUrl)).bytes;
    const { exif: left, xmp, iptc, orientation, ...shown } = await metadataOf(small);
    assert.deepEqual([left, xmp, iptc, orientation], [undefined, undefined, undefined, undefined]);
    assert.deepEqual([shown.width, shown.height], [200, 400]);
    assert.ok(!small.includes('Camera'));
    assert.deepEqual((await files.fetchFile(downloadUrl)).bytes, bytes);
  });

  it('a picture that would unfold to gigabytes is kept, but not drawn', async () => {
    const bytes = hugePng(60_000);
    const { width, thumbnailUrl } = await looked('image/png', bytes);
    assert.deepEqual([width, thumbnailUrl], [60_000, undefined]);
  });

  it('a picture that cannot be drawn is a file like any other', async () => {
    const bytes = await drawn(300, 300).png().toBuffer();
    const at = bytes.indexOf('IDAT') + 4;
    bytes.fill(0xff, at, at + 20);
    const { size, thumbnailUrl, downloadUrl } = await looked('image/png', bytes);
    assert.deepEqual([size, thumbnailUrl], [bytes.length, undefined]);
    assert.equal((await files.fetchFile(downloadUrl)).status, 200);
  });
});
