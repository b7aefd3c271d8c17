import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ensureReachable, locateNativeDir } from './binaries.ts';

const root = await mkdtemp(join(tmpdir(), 'pg-binaries-'));
after(() => rm(root, { recursive: true, force: true }));
const skip = process.getuid?.() === 0 ? false : 'only root lends another identity';
const nobody = { name: 'nobody', uid: 65534, gid: 65534, switched: true };

test('an installation in a closed directory is copied once to where the user can run it', {
  skip,
}, async () => {
  await chmod(root, 0o711);
  const closed = join(root, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const { native, version } = await locateNativeDir();
  const installed = join(closed, 'native');
  await cp(native, installed, { recursive: true, verbatimSymlinks: true });
  const cacheDir = join(root, 'cache');

  const copies = await Promise.all([1, 2].map(() => ensureReachable(installed, version, nobody, cacheDir)));
  assert.equal(copies[0], copies[1]);
  assert.equal(await ensureReachable(installed, version, nobody, cacheDir), copies[0]);
  assert.equal((await readdir(cacheDir)).length, 1);
  const { stdout } = await promisify(execFile)(join(copies[0] ?? '', 'bin', 'postgres'), ['--version'], {
    uid: nobody.uid,
    gid: nobody.gid,
  });
  assert.match(stdout, /PostgreSQL\) 18\./);
});

test('an installation the user can reach is used where it is', { skip }, async () => {
  const open = join(root, 'open');
  await mkdir(join(open, 'bin', 'postgres'), { recursive: true });
  await chmod(root, 0o711);
  const cacheDir = join(root, 'unused-cache');
  assert.equal(await ensureReachable(open, '18', nobody, cacheDir), open);
  await assert.rejects(readdir(cacheDir));
});

test('a cache that others can write to is not trusted, and the error says what to do', { skip }, async () => {
  const closed = join(root, 'closed-too');
  await mkdir(join(closed, 'bin', 'postgres'), { recursive: true });
  await chmod(closed, 0o700);
  const cacheDir = join(root, 'loose');
  await mkdir(cacheDir);
  await chmod(cacheDir, 0o777);
  await assert.rejects(
    ensureReachable(closed, '18', nobody, cacheDir),
    /only root can write.*such as \/opt/s,
  );
});
