import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readLogSince, trimLog, withLogFile } from './log.ts';

const root = await mkdtemp(join(tmpdir(), 'pg-log-'));
after(() => rm(root, { recursive: true, force: true }));

test('a log that grew too large is set aside while its writer goes on in an empty one', async () => {
  const logFile = join(root, 'postgres.log');
  // The server keeps its own copy of the descriptor: here a process that writes on command.
  const writer = withLogFile(logFile, (descriptor) =>
    spawn('cat', { stdio: ['pipe', descriptor, descriptor] }),
  );
  const written = async (text: string, size: number) => {
    writer.stdin?.write(text);
    while ((await stat(logFile)).size < size) await nextTurn();
  };
  try {
    await written('old\n'.repeat(10), 40);
    await trimLog(logFile, 100);
    assert.equal((await stat(logFile)).size, 40, 'a small log was trimmed');
    await trimLog(logFile, 20);
    await written('new\n', 4);
    assert.equal(await readFile(logFile, 'utf8'), 'new\n');
    assert.equal(await readFile(`${logFile}.1`, 'utf8'), 'old\n'.repeat(10));
  } finally {
    writer.stdin?.end();
    await once(writer, 'exit');
  }
});

test('what a failed start said is read from its own beginning on, and only the end of a long speech', async () => {
  const logFile = join(root, 'said.log');
  assert.equal(await readLogSince(logFile, 0), '');
  withLogFile(logFile, (descriptor) => writeSync(descriptor, 'earlier run\nthis run\n'));
  assert.equal(await readLogSince(logFile, 'earlier run\n'.length), 'this run');
  withLogFile(logFile, (descriptor) => writeSync(descriptor, 'x'.repeat(100_000)));
  assert.equal((await readLogSince(logFile, 0)).length, 4_096);
});
