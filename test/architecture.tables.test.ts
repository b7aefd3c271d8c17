/** Holds the code to the rules on tables, and the rules themselves to being able to fail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readModels } from './architecture/read-models.ts';
import { readProject, type SourceFile, sourceFile } from './architecture/source.ts';
import { otherWriters, tableOwners, writesEveryTable } from './architecture/table-owners.ts';
import { tableRules } from './architecture/table-rules.ts';
import { root } from './support/program.ts';

function breachesOf(project: readonly SourceFile[]): string[] {
  return project.flatMap((file) =>
    tableRules.flatMap((rule) => rule(file, project).map((breach) => `${file.path} ${breach}`)),
  );
}

describe('tables', () => {
  const project = readProject(root);

  it('follow the rules in every file', () => {
    assert.ok(project.length > 80, 'the project was not found');
    const breaches = breachesOf(project);
    assert.equal(breaches.length, 0, `\n${breaches.join('\n')}\n(docs/ARCHITECTURE.md explains the rules)`);
  });

  it('have lists that name only what exists', () => {
    const paths = new Set(project.map(({ path }) => path));
    const listed = [...Object.keys(readModels), ...Object.keys(otherWriters), ...writesEveryTable];
    assert.deepEqual(
      listed.filter((path) => !paths.has(path)),
      [],
    );
    const created = project
      .filter(({ path }) => path.startsWith('migrations/'))
      .flatMap(({ text }) => [...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map((m) => m[1]!));
    assert.deepEqual(
      Object.keys(tableOwners).filter((table) => !created.includes(table)),
      [],
    );
  });
});

/** A small project without a breach. */
const sound: Record<string, string> = {
  'migrations/0001_accounts.sql': 'create table accounts (\n);\ncreate unlogged table live_log (\n);',
  'migrations/schema.sql': 'create table schema_migrations (\n);',
  'server/platform/jobs/jobs.ts': 'export const take = sql`update jobs set a = 1`;',
  'server/platform/events/endpoints.ts': 'const a = sql`delete from webhooks where id = 1`;',
  'server/features/accounts/accounts.ts': `export { createUser, type User } from './accounts.users.sql.ts';
export const limit = 5;`,
  'server/features/accounts/accounts.users.sql.ts': `import type { Sql } from '../../platform/db/sql.ts';
/** In a comment one may insert into records. */
const columns = sql\`id, name\`;
export async function createUser(tx: Tx): Promise<void> {
  await tx.query(sql\`insert into users (id) select id from accounts for update of accounts\`);
}
export const ofUser = (id: string): Sql => sql\`id = \${id}\`;`,
  'server/features/records/records.ts': `export { recordInsert } from './records.sql.ts';`,
  'server/features/records/records.sql.ts': `export function recordInsert(
  accountId: string,
): Sql {
  return sql\`insert into records (id) values (\${accountId})\`;
}`,
  'server/features/realtime/realtime.push.sql.ts': 'const a = sql`select id from users`;',
  'server/platform/backups/restore.sql.ts':
    'const a = `insert into $' + '{name} values (1)`, b = `delete from jobs`;',
  'server/features/records/records.test.ts': 'const a = sql`delete from users`;',
};

/** What is added to the sound project, the file that is blamed, and what must be said about it. */
const breaches: [title: string, added: Record<string, string>, blamed: string, said: RegExp][] = [
  [
    "a feature inserts into another's table",
    { 'server/features/kanbans/kanbans.sql.ts': 'const a = sql`insert into records (id) values (1)`;' },
    'server/features/kanbans/kanbans.sql.ts',
    /writes records, which belongs to records/,
  ],
  [
    "a feature updates another's table over two lines",
    { 'server/features/kanbans/kanbans.sql.ts': 'const a = sql`update\n  users set name = 1`;' },
    'server/features/kanbans/kanbans.sql.ts',
    /writes users, which belongs to accounts/,
  ],
  [
    "a feature deletes from another's table",
    { 'server/features/kanbans/kanbans.sql.ts': 'const a = sql`delete from events where id = 1`;' },
    'server/features/kanbans/kanbans.sql.ts',
    /writes events, which belongs to platform\/events/,
  ],
  [
    "a command truncates a feature's table",
    { 'cli/clean.sql.ts': 'const a = sql`truncate messages`;' },
    'cli/clean.sql.ts',
    /writes messages/,
  ],
  [
    "the platform writes a feature's table",
    { 'server/platform/jobs/jobs.ts': 'const a = sql`update sessions set a = 1`;' },
    'server/platform/jobs/jobs.ts',
    /writes sessions/,
  ],
  [
    'a table by a parameter',
    { 'server/features/records/records.erase.sql.ts': 'const a = sql`delete from $' + '{table}`;' },
    'server/features/records/records.erase.sql.ts',
    /name is a parameter/,
  ],
  [
    'an exception that is not needed any more',
    { 'server/platform/events/endpoints.ts': '' },
    'server/platform/events/endpoints.ts',
    /writes webhooks no longer/,
  ],
  [
    "a join with another's table that is not listed",
    {
      'server/features/kanbans/kanbans.sql.ts':
        'const a = sql`select 1 from kanbans k join records r on true`;',
    },
    'server/features/kanbans/kanbans.sql.ts',
    /reads records, which belongs to records/,
  ],
  [
    "a fragment that begins with another's table",
    { 'server/features/kanbans/kanbans.sql.ts': 'const tables = sql`records r`;' },
    'server/features/kanbans/kanbans.sql.ts',
    /reads records/,
  ],
  [
    'a read model that reads less than is listed',
    { 'server/features/realtime/realtime.push.sql.ts': 'const a = sql`select 1`;' },
    'server/features/realtime/realtime.push.sql.ts',
    /reads users no longer/,
  ],
  [
    'an entry file that exports columns',
    {
      'server/features/accounts/accounts.ts': `export { columns } from './accounts.users.sql.ts';`,
      'server/features/accounts/accounts.users.sql.ts': 'export const columns = sql`id, name`;',
    },
    'server/features/accounts/accounts.ts',
    /exports columns, which is SQL/,
  ],
  [
    'an entry file that exports a condition',
    { 'server/features/accounts/accounts.ts': `export { ofUser } from './accounts.users.sql.ts';` },
    'server/features/accounts/accounts.ts',
    /exports ofUser, which is SQL/,
  ],
  [
    'an entry file that exports a function that returns SQL',
    {
      'server/features/channels/channels.ts': `export { insertOne, other } from './channels.sql.ts';`,
      'server/features/channels/channels.sql.ts': `export function insertOne(\n  id: string,\n): Sql {\n  return sql\`1\`;\n}
export function other(id: string): string {\n  return id;\n}`,
    },
    'server/features/channels/channels.ts',
    /exports insertOne, which is SQL/,
  ],
  [
    'a fragment function that is not exported any more',
    { 'server/features/records/records.ts': '' },
    'server/features/records/records.ts',
    /exports no SQL called recordInsert/,
  ],
  [
    'a table without an owner',
    { 'migrations/0002_more.sql': 'create table more (\n);' },
    'migrations/0002_more.sql',
    /creates more, which has no owner/,
  ],
];

describe('the rules on tables', () => {
  const build = (files: Record<string, string>) =>
    Object.entries(files).map(([path, text]) => sourceFile(path, text));

  it('find nothing wrong with a sound project', () => {
    assert.deepEqual(breachesOf(build(sound)), []);
  });

  for (const [title, added, blamed, said] of breaches) {
    it(`catch: ${title}`, () => {
      const found = breachesOf(build({ ...sound, ...added })).filter((one) => one.startsWith(`${blamed} `));
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0]!, said);
    });
  }
});
