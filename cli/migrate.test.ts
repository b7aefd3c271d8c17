import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCli, runInProcess, settingsFor } from '../test/support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/database.ts';
import { root } from '../test/support/program.ts';

describe('talkboard migrate', () => {
  const all = readdirSync(join(root, 'migrations'))
    .filter((name) => name !== 'schema.sql')
    .sort();
  let database: TestDatabase;
  let settings: Record<string, string>;
  before(async () => {
    database = await createTestDatabase({ empty: true });
    settings = settingsFor(database.connection, '/nowhere');
  });
  after(() => database.drop());

  const status = async () =>
    JSON.parse((await runInProcess(['migrate', '--status', '--json'], settings)).stdout);

  it('lists what is pending without applying it, applies it, and then finds nothing to do', async () => {
    assert.deepEqual(await status(), { applied: [], pending: all, unknown: [], done: [] });
    assert.deepEqual((await status()).applied, []);
    const { code, stdout } = await runCli(['migrate'], settings);
    assert.equal(code, 0);
    assert.equal(stdout, all.map((name) => `applied  ${name}\n`).join(''));
    assert.deepEqual(await status(), { applied: all, pending: [], unknown: [], done: [] });
    const again = await runInProcess(['migrate'], settings);
    assert.equal(again.stdout, '');
    assert.match(again.stderr, /was up to date/);
  });
});
