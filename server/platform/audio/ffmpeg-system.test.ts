/** The limits that the kernel enforces on ffmpeg, tested with a program in its place. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createScratch } from '../../../test/support/audio.ts';
import { NotConverted } from './ffmpeg.ts';
import { createSystemFfmpeg } from './ffmpeg-system.ts';

const isLinux = process.platform === 'linux';

describe('the system’s ffmpeg', { skip: isLinux ? false : 'limits are tested on Linux' }, () => {
  const scratch = createScratch();
  after(() => scratch.remove());

  async function run(script: string, timeoutMs?: number): Promise<string> {
    const programs = scratch.folder();
    chmodSync(programs, 0o755);
    const path = join(programs, 'ffmpeg');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const folder = scratch.folder();
    const [input, output] = [join(folder, 'input'), join(folder, 'output')];
    writeFileSync(input, 'sound');
    const ffmpeg = createSystemFfmpeg({ path, version: 'a stand-in' }, { timeoutMs });
    await ffmpeg.run({ input, output, folder, args: [output] });
    return readFileSync(output, 'utf8');
  }

  it('has limits of time, memory, file size and open files, no environment, no input, and is not root', async () => {
    const told = await run(
      `{ ulimit -t; ulimit -v; ulimit -n; ulimit -f; id -u; pwd; cat; env | grep -v '^\\(PWD\\|OLDPWD\\|_\\|SHLVL\\)=' ; } > "$1"; true`,
    );
    const [seconds, kilobytes, files, blocks, user, place, ...rest] = told.trim().split('\n');
    assert.deepEqual([seconds, kilobytes, files], ['60', String(768 * 1024), '64']);
    assert.ok(Number(blocks) < 200_000, `${blocks} blocks`);
    assert.notEqual(user, '0');
    assert.match(place!, /talkboard-audio-test-/);
    assert.deepEqual(rest, [], 'nothing came on the standard input or in the environment');
  });

  it('that writes too much, computes too long or fails is ended, without our paths in the reason', async () => {
    await assert.rejects(run('head -c 100000000 /dev/zero > "$1"'), NotConverted);
    await assert.rejects(run('while :; do :; done', 1_000), /took too long/);
    await assert.rejects(run('echo "[ogg @ 0x55d0] $1: Invalid data" >&2; exit 1'), (error: Error) => {
      assert.equal(error.message, 'the audio cannot be read: output: Invalid data');
      return error instanceof NotConverted;
    });
  });
});
