/** Commands on the embedded database: beside a running service, and alone. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../test/support/cli.ts';
import { adminPassword, createStage } from '../test/support/program.ts';

const stage = createStage();
after(() => stage.close());

describe('a command on the embedded database', () => {
  it('works beside a running service, also where the socket has a path that is too long for one', async () => {
    const folder = join(stage.newDataDir(), `a folder with spaces ${'and a long name '.repeat(6)}`.trim());
    mkdirSync(folder);
    const program = await stage.start({ DATA_DIR: folder, ADMIN_PASSWORD: adminPassword });
    const created = await runCli(['token', 'create', '--name', 'beside'], { DATA_DIR: folder });
    assert.equal(created.code, 0, created.stderr);
    const headers = { authorization: `Bearer ${created.stdout.trim()}` };
    assert.equal((await fetch(`${program.base}/kanbans`, { headers })).status, 200);
    const { stdout } = await runCli(['doctor'], { DATA_DIR: folder });
    assert.match(stdout, /^ok {4}database +PostgreSQL \d+.*embedded, of the running service/m);
    assert.equal((await program.stop()).code, 0);
  });

  it('starts the database when no service runs, stops it again, and leaves the folder free', async () => {
    const env = { DATA_DIR: stage.newDataDir() };
    assert.equal((await runCli(['migrate'], env)).code, 0);
    const { stdout } = await runCli(['doctor'], env);
    assert.match(stdout, /^ok {4}database +PostgreSQL \d+.*started for this check/m);
    const program = await stage.start(env);
    assert.match(program.output(), /first start/);
    assert.doesNotMatch(program.output(), /left by an earlier run/);
    await program.stop();
  });

  it('waits for its turn when another one has started the database', async () => {
    const env = { DATA_DIR: stage.newDataDir() };
    assert.equal((await runCli(['migrate'], env)).code, 0);
    const account = (name: string) =>
      runCli(['account', 'create', '--name', name, '--email', `${name}@x.example`], env);
    const outcomes = await Promise.all(['one', 'two', 'three'].map(account));
    for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr);
    // Exactly one of the three found the database empty.
    const status = await runCli(['token', 'create', '--name', 'x'], env);
    assert.equal(status.stderr.match(/^ {2}[0-9a-f-]{36} {2}(one|two|three)$/gm)?.length, 3);
  });
});
