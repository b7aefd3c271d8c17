/** Tokens of a database from before tokens had an owner. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { newId } from '../../platform/ids.ts';

const folder = fileURLToPath(new URL('../../../migrations/', import.meta.url));

describe('the migration that gives tokens an owner', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ empty: true });
    client = new pg.Client(database.connection);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  it('finds the user behind each token, or takes the first administrator; no token is lost', async () => {
    const files = readdirSync(folder)
      .filter((name) => /^\d{4}_/.test(name))
      .sort();
    const at = files.findIndex((name) => name.endsWith('_tokens_audit.sql'));
    assert.ok(at > 0);
    const run = (name: string) => client.query(readFileSync(`${folder}${name}`, 'utf8'));
    for (const name of files.slice(0, at)) await run(name);

    const accounts = [newId(), newId()];
    for (const id of accounts) {
      await client.query(
        `insert into accounts (id, name, crm_per_minute, crm_per_hour, messages_per_minute, created_at)
         values ($1, 'x', 1, 1, 1, 1)`,
        [id],
      );
    }
    const addUser = async (accountId: string, role: string, createdAt: number) => {
      const id = newId();
      await client.query(
        `insert into users (account_id, id, email, name, role, password_hash, created_at, updated_at)
         values ($1, $2, $3, 'x', $4, 'x', $5, $5)`,
        [accountId, id, `${id}@example.com`, role, createdAt],
      );
      return id;
    };
    const [one, two] = accounts as [string, string];
    await addUser(one, 'operator', 1);
    const later = await addUser(one, 'admin', 30);
    const first = await addUser(one, 'admin', 20);
    const other = await addUser(two, 'admin', 10);
    const expected = new Map<string, string>();
    const addToken = async (accountId: string, createdBy: string, owner: string) => {
      const id = newId();
      await client.query(
        `insert into api_tokens (account_id, id, name, scopes, token_hash, created_at, created_by)
         values ($1, $2, 'x', '{crm:read}', $3, 1, $4)`,
        [accountId, id, Buffer.from(id), createdBy],
      );
      expected.set(id, owner);
      return id;
    };
    const own = await addToken(one, later, later);
    const child = await addToken(one, own, later);
    await addToken(one, child, later);
    await addToken(one, 'system', first);
    await addToken(one, newId(), first);
    await addToken(one, await addToken(one, newId(), first), first);
    // Ids of another account are not found.
    await addToken(two, own, other);
    await addToken(two, later, other);

    await run(files[at]!);
    const { rows } = await client.query('select id, user_id from api_tokens');
    assert.deepEqual(new Map(rows.map((row) => [row.id, row.user_id])), expected);
    await client.query('delete from users where id = $1', [later]);
    assert.equal((await client.query('select from api_tokens where account_id = $1', [one])).rowCount, 4);
  });
});
