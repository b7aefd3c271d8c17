/** Commands on the embedded database: beside a running service, and alone. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCli, runInProcess } from '../support/cli.ts';
import { createStage } from '../support/program.ts';

const stage = createStage();
after(() => stage.close());

describe('a command on the embedded database', () => {
  let env: { DATA_DIR: string };
  before(() => {
    // The socket has a path that is too long for one.
    const folder = join(stage.newDataDir(), `a folder with spaces ${'and a long name '.repeat(6)}`.trim());
    mkdirSync(folder);
    env = { DATA_DIR: folder };
  });

  it('starts the database when no service runs, and waits for its turn when another one has started it', async () => {
    assert.equal((await runCli(['migrate'], env)).code, 0);
    const account = (name: string) =>
      runCli(['account', 'create', '--name', name, '--email', `${name}@x.example`], env);
    const outcomes = await Promise.all(['one', 'two', 'three'].map(account));
    for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr);
    const { stdout } = await runCli(['doctor'], env);
    assert.match(stdout, /^ok {4}database +PostgreSQL \d+.*started for this check/m);
  });

  it('stops it again and leaves the folder free; beside a running service it uses that of the service', async () => {
    const program = await stage.start(env);
    assert.doesNotMatch(program.output(), /left by an earlier run/);
    // Each of the three found what the others had made.
    const status = await runInProcess(['token', 'create', '--name', 'x'], env, { startsDatabase: false });
    const listed = [...status.stderr.matchAll(/^ {2}([0-9a-f-]{36}) {2}(?:one|two|three)$/gm)];
    assert.equal(listed.length, 3, status.stderr);
    const created = await runCli(['token', 'create', '--name', 'beside', '--account', listed[0]![1]!], env);
    assert.equal(created.code, 0, created.stderr);
    const headers = { authorization: `Bearer ${created.stdout.trim()}` };
    assert.equal((await fetch(`${program.base}/kanbans`, { headers })).status, 200);
    const { stdout } = await runInProcess(['doctor'], env, { startsDatabase: false });
    assert.match(stdout, /^ok {4}database +PostgreSQL \d+.*embedded, of the running service/m);
    assert.equal((await program.stop()).code, 0);
  });
});
