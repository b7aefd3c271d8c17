import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { version } from '../contract/version.ts';
import { runCli, runInProcess } from '../test/support/cli.ts';
import { root } from '../test/support/program.ts';

const commands = [
  'token create',
  'account create',
  'migrate',
  'doctor',
  'demo',
  'backup',
  'restore',
  'listen',
];

const nowhere = { DATA_DIR: '/nowhere', DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' };

describe('talkboard', () => {
  it('lists every command with --help', async () => {
    const { code, stdout, stderr } = await runCli(['--help'], {});
    assert.equal(code, 0);
    for (const name of commands) assert.match(stdout, new RegExp(`^  ${name} +\\S`, 'm'));
    assert.equal(stderr, '');
  });

  for (const name of commands) {
    it(`explains ${name} with --help and touches nothing`, async () => {
      const { code, stdout } = await runInProcess([...name.split(' '), '--help'], nowhere);
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`Usage: talkboard ${name} `), stdout);
    });
  }

  it('prints its version', async () => {
    assert.equal((await runCli(['--version'], {})).stdout, `${version}\n`);
  });

  it('leaves with 2 and says so when the command is unknown', async () => {
    const { code, stdout, stderr } = await runCli(['tokens', 'list'], {});
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /talkboard has no command "tokens list"/);
  });

  it('exits with 2 when there is no command or only half of one', async () => {
    assert.equal((await runCli([], {})).code, 2);
    const { code, stderr } = await runCli(['token'], {});
    assert.equal(code, 2);
    assert.match(stderr, /needs a subcommand: token create/);
  });

  it('leaves with 2 and the usage when an option is unknown or missing', async () => {
    const unknown = await runInProcess(['doctor', '--jsno'], nowhere);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /--jsno/);
    assert.match(unknown.stderr, /Usage: talkboard doctor/);
    const missing = await runCli(['token', 'create'], {});
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /--name is required/);
  });

  it("hands over to the project's Node when it is started by an older one", (t) => {
    const older = findOlderNode();
    if (!older) return t.skip('no older Node is installed');
    const script = join(root, 'cli/talkboard.mjs');
    assert.equal(execFileSync(older, [script, '--version'], { encoding: 'utf8' }), `${version}\n`);
    assert.throws(
      () => execFileSync(older, [script, 'nothing'], { stdio: 'pipe' }),
      (error: { status?: number }) => error.status === 2,
    );
  });
});

function findOlderNode(): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return places
    .map((place) => join(place, 'node'))
    .filter((path) => existsSync(path))
    .find(
      (path) => Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 24,
    );
}
