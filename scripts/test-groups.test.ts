import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { newFolder } from '../test/support/scratch.ts';
import { groupsOf } from './test-groups.ts';
import { filesOf } from './test-suites.ts';

/** What it writes shows when it runs. */
const fileWith = (name: string) => `
  import { after, before, describe, it } from 'node:test';
  const say = (what) => async () => { await null; console.error(what + ' ${name}'); };
  before(say('before'));
  after(say('after'));
  describe('a suite', () => it('a test', say('test')));`;

/** The error is that of its test, which ends with it. */
const lateError = `
  import { it } from 'node:test';
  it('throws later', async () => {
    await null;
    setTimeout(() => { throw new Error('late'); });
    await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
  });`;

it('the files of a process run one after the other with their own hooks, and one that cannot be loaded fails alone', (t) => {
  const folder = newFolder('talkboard-groups-');
  t.after(() => rmSync(folder, { recursive: true }));
  const files = { a: fileWith('a'), broken: "import './absent.mjs';", c: fileWith('c'), late: lateError };
  mkdirSync(join(folder, 'cli'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `cli/${name}.test.mjs`), text);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8', timeout: 30_000 });
  const paths = JSON.stringify(Object.keys(files).map((name) => `cli/${name}.test.mjs`));
  const grouping = `import { groupFiles } from ${JSON.stringify(import.meta.resolve('./test-groups.ts'))};
    console.log(...groupFiles(${paths}, 'groups'));`;
  const group = run('--input-type=module', '-e', grouping);
  assert.equal(group.stdout.trim(), 'groups/cli.test.ts', group.stderr);
  const context = import.meta.resolve('../test/support/test-context.ts');
  const { status, stdout, stderr } = run('--import', context, '--test-reporter=tap', 'groups/cli.test.ts');
  const said = stderr.split('\n').filter((line) => /^(before|test|after) /.test(line));
  assert.deepEqual(said, ['before a', 'test a', 'after a', 'before c', 'test c', 'after c'], stdout);
  assert.equal(status, 1);
  assert.match(stdout, /not ok 2 - cli\/broken\.test\.mjs/);
  assert.match(stdout, /not ok 1 - throws later[\s\S]*failureType: 'uncaughtException'[\s\S]*error: 'late'/);
  assert.match(stdout, /# pass 2\n# fail 2\n/);
});

it('every file is in one group, and there are few of them', () => {
  const files = filesOf('main');
  const groups = groupsOf(files);
  const shared = groups.filter((group) => group.files.length > 1);
  assert.ok(shared.length >= 14 && shared.length <= 20, String(shared.length));
  assert.deepEqual(groups.flatMap((group) => group.files).sort(), files);
  assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length);
});
