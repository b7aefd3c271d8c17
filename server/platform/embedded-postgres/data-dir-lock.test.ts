import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { acquireAfterCommands, acquireDataDirLock, commandDir } from './data-dir-lock.ts';

const root = await mkdtemp(join(tmpdir(), 'lock-test-'));
after(() => rm(root, { recursive: true, force: true }));

const MODULE = new URL('./data-dir-lock.ts', import.meta.url).href;

/** Prints `held` or the error, then runs until it is killed. */
function contend(dataDir: string): { child: ChildProcess; answer: Promise<string> } {
  const script = `
    import { acquireDataDirLock } from ${JSON.stringify(MODULE)};
    const answer = await acquireDataDirLock(${JSON.stringify(dataDir)}).then(() => 'held', (e) => e.message);
    console.log(answer);
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answer = once(child.stdout, 'data').then(([text]) => String(text).trim());
  return { child, answer };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('of several simultaneous starts exactly one gets the directory, and the refusals name its pid', async () => {
  const dataDir = join(root, 'contended', 'data');
  const contenders = Array.from({ length: 5 }, () => contend(dataDir));
  try {
    const answers = await Promise.all(contenders.map(({ answer }) => answer));
    const winner = contenders[answers.indexOf('held')];
    assert.ok(winner, `nobody won: ${answers.join(' | ')}`);
    const refusals = answers.filter((answer) => answer !== 'held');
    assert.equal(refusals.length, 4);
    for (const refusal of refusals) assert.match(refusal, new RegExp(`pid ${winner.child.pid},`));
  } finally {
    await Promise.all(contenders.map(({ child }) => kill(child)));
  }
});

test('a directory whose holder was killed is free at once', async () => {
  const dataDir = join(root, 'killed');
  const holder = contend(dataDir);
  assert.equal(await holder.answer, 'held');
  await kill(holder.child);
  const lock = await acquireDataDirLock(dataDir);
  await lock.release();
});

test('a pid file naming a living stranger does not refuse the start', async () => {
  const dataDir = join(root, 'recycled');
  await (await acquireDataDirLock(dataDir)).release();
  await writeFile(join(dataDir, 'service.pid'), `${process.ppid}\n2020-01-01T00:00:00.000Z\n`);
  const lock = await acquireDataDirLock(dataDir);
  await lock.release();
});

test('a lock whose handle was dropped holds until the process ends', async () => {
  const dataDir = join(root, 'dropped');
  await acquireDataDirLock(dataDir);
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // Finalisers run in a later turn than the collection.
  for (let turn = 0; turn < 10; turn++) {
    collectGarbage();
    await nextTurn();
  }
  await assert.rejects(acquireDataDirLock(dataDir), /in use by another running service/);
});

test('a second call in the same process is refused and leaves the first lock standing', async () => {
  const dataDir = join(root, 'twice');
  const lock = await acquireDataDirLock(dataDir);
  await assert.rejects(acquireDataDirLock(dataDir), new RegExp(`in use.*pid ${process.pid},`));
  const other = contend(dataDir);
  try {
    assert.match(await other.answer, new RegExp(`in use.*pid ${process.pid},`));
  } finally {
    await kill(other.child);
  }
  await lock.release();
  await lock.release();
  await (await acquireDataDirLock(dataDir)).release();
});

test('a start waits for a command that uses the directory, and not for another service', async () => {
  const dataDir = join(root, 'command');
  const turn = await acquireDataDirLock(commandDir(dataDir));
  const used = await acquireDataDirLock(dataDir);
  const waits = Promise.withResolvers<void>();
  const start = acquireAfterCommands(dataDir, waits.resolve);
  await waits.promise;
  await used.release();
  await turn.release();
  await (await start).release();

  const other = contend(dataDir);
  try {
    assert.equal(await other.answer, 'held');
    await assert.rejects(
      acquireAfterCommands(dataDir, () => assert.fail('waits for a service')),
      new RegExp(`in use.*pid ${other.child.pid},`),
    );
  } finally {
    await kill(other.child);
  }
});

test('a directory that cannot be made is named in the error', async () => {
  await writeFile(join(root, 'a-file'), '');
  await assert.rejects(acquireDataDirLock(join(root, 'a-file', 'data')), /cannot write to DATA_DIR .*a-file/);
});
