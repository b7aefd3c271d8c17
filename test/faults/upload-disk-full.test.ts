/**
 * The disk is full or read-only in the middle of an upload: reported as such, no partial files, and it recovers
 * without a restart.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../support/conversations.ts';
import { filesOf } from '../support/files.ts';
import { sampleOfSize } from '../support/sample-files.ts';
import { startTestService, type TestService } from '../support/service.ts';

const megabyte = 1024 * 1024;
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

describe('a small disk', { skip: !mayMount && 'only root can mount a small disk' }, () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let folder: string;
  let mounted = false;
  before(async () => {
    service = await startTestService();
    files = await filesOf(service);
    folder = join(service.context.config.dataDir, 'files');
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'pipe' });
      mounted = true;
    } catch (error) {
      console.log(`no small disk here: ${(error as Error).message}`);
    }
  });
  after(async () => {
    if (mounted) execFileSync('umount', ['-l', folder]);
    await service.close();
  });

  const upload = async (size: number) => {
    const { body } = await files.announce({ contentType: 'video/mp4', size });
    const put = await files.put(body.uploadUrl, sampleOfSize('video/mp4', size), {
      'content-type': 'video/mp4',
      'content-length': String(size),
    });
    return { put, body };
  };
  const left = () => readdirSync(join(folder, 'incoming'));

  it('507 in the common shape, no half file, everything else goes on, and room is enough to go on', async (t) => {
    if (!mounted) return t.skip('mounting is not possible here');
    const { put, body } = await upload(20 * megabyte);
    assert.equal(put.status, 507, put.bytes.toString());
    assert.deepEqual(Object.keys(put.body).sort(), ['code', 'error', 'message', 'requestId']);
    assert.deepEqual([put.body.error, put.body.code], ['Insufficient Storage', 'DISK_FULL']);
    assert.ok(Number(put.headers['retry-after']) > 0);
    assert.deepEqual(left(), []);
    assert.equal((await service.call('GET', `/attachments/${body.fileKey}`)).status, 404);
    assert.equal((await conversationsOf(service).send()).status, 202);

    // Full before the first byte.
    const ballast = join(folder, 'ballast');
    assert.throws(() => writeFileSync(ballast, Buffer.alloc(9 * megabyte)), { code: 'ENOSPC' });
    assert.equal((await upload(megabyte)).put.status, 507);
    rmSync(ballast);
    assert.equal((await upload(6 * megabyte)).put.status, 200);
    assert.deepEqual(left(), []);
  });

  it('503 while it is read-only', async (t) => {
    if (!mounted) return t.skip('mounting is not possible here');
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    const { put } = await upload(1_000);
    assert.deepEqual([put.status, put.body.code], [503, 'UNAVAILABLE']);
    execFileSync('mount', ['-o', 'remount,rw', folder]);
    assert.equal((await upload(1_000)).put.status, 200);
  });
});
