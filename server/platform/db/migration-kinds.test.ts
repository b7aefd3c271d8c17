import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMigrations } from './migrate.ts';
import { type AppliedMigration, findNewerProblem, kindOf } from './migration-kinds.ts';

/** Released before kinds existed: their text must stay as it is. */
const lastWithoutKind = 55;

describe('kinds of migrations', () => {
  it('every migration after 0055 says in its first line whether it expands or contracts the schema', () => {
    const unmarked = readMigrations()
      .filter(({ name, text }) => Number(name.slice(0, 4)) > lastWithoutKind && kindOf(text) === null)
      .map(({ name }) => name);
    assert.deepEqual(
      unmarked,
      [],
      'must begin with -- kind: expand, or -- kind: contract, from v1.7.<release>',
    );
  });

  it('are read from the first line only', () => {
    assert.deepEqual(kindOf('-- kind: expand\nselect 1'), { kind: 'expand', servesFrom: null });
    assert.deepEqual(kindOf('-- kind: contract, from v1.7.240\n'), {
      kind: 'contract',
      servesFrom: 'v1.7.240',
    });
    for (const text of ['select 1', '\n-- kind: expand', '-- kind: contract', '-- kind: expand it', '']) {
      assert.equal(kindOf(text), null, text);
    }
  });

  const row = (name: string, kind: string | null, servesFrom: string | null = null): AppliedMigration => ({
    name,
    checksum: 'x',
    release: 'v1.7.300',
    kind,
    servesFrom,
  });
  const known = [{ name: '0055_send_burst.sql' }];
  const problemWith = (...newer: AppliedMigration[]) =>
    findNewerProblem([row('0055_send_burst.sql', null), ...newer], known, 'v1.7.238');

  it('a release serves a schema that newer releases expanded, or contracted for releases from its own on', () => {
    assert.equal(problemWith(), null);
    assert.equal(problemWith(row('0056_more.sql', 'expand'), row('0057_most.sql', 'expand')), null);
    assert.equal(problemWith(row('0056_less.sql', 'contract', 'v1.7.238')), null);
    assert.equal(problemWith(row('0056_less.sql', 'contract', 'v1.7.99')), null);
  });

  it('it refuses one that was contracted for later releases, or whose kind it cannot know, and names them', () => {
    const contracted = problemWith(
      row('0056_more.sql', 'expand'),
      row('0057_less.sql', 'contract', 'v1.7.1000'),
    );
    assert.match(
      contracted!,
      /migrated by release v1\.7\.300: it has 0057_less\.sql, but this is v1\.7\.238/,
    );
    assert.match(
      contracted!,
      /knows migrations up to 0055_send_burst\.sql\. Start v1\.7\.1000 or a later release/,
    );
    assert.match(
      problemWith(row('0056_old.sql', null))!,
      /it has 0056_old\.sql.*Start v1\.7\.300 or a later/,
    );
  });
});
