/** A block list from before contacts: entries for visitors and chat ids get keys of their own, others stay. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createDb, type Db } from '../../server/platform/db/db.ts';
import { createMigrationsTable, migrate, readMigrations } from '../../server/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('an upgrade to contacts', () => {
  let database: TestDatabase;
  let db: Db;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ empty: true });
    db = createDb({ connection: database.connection, poolSize: 2 });
    client = new pg.Client(database.connection);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await db.close();
    await database.drop();
  });

  it('keeps each block for those whom it blocked', async () => {
    const all = readMigrations();
    const until = all.findIndex(({ text }) => text.includes('create table contacts'));
    await client.query(createMigrationsTable);
    for (const { name, text, checksum } of all.slice(0, until)) {
      await client.query(text);
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    }
    // Only what the migration reads: the foreign keys of everything else are of no interest here.
    await dropReferences('channels', 'sessions', 'blocked_contacts');
    const account = randomUUID();
    const channels = { web: randomUUID(), chatbot: randomUUID(), sms: randomUUID() };
    for (const [type, id] of Object.entries(channels))
      await insertFilled('channels', { account_id: account, id, type });
    const session = (type: keyof typeof channels, contact_key: string) =>
      insertFilled('sessions', {
        account_id: account,
        session_id: randomUUID(),
        channel_id: channels[type],
        contact_key,
      });
    await session('web', 'visitor-1');
    await session('chatbot', '7700000001');
    await session('sms', '7700000001');
    await session('chatbot', 'chat-2');
    const block = (contact_key: string, identifier_type: string) =>
      insertFilled('blocked_contacts', {
        account_id: account,
        contact_key,
        identifier_value: contact_key,
        identifier_type,
        dropped_count: 3,
      });
    await block('visitor-1', 'other');
    await block('7700000001', 'phone');
    await block('chat-2', 'other');
    await block('ada@example.com', 'email');

    await migrate(db);

    const { rows } = await client.query(
      'select contact_key, identifier_type, dropped_count::int from blocked_contacts order by contact_key',
    );
    assert.deepEqual(
      rows.map((row) => [row.contact_key, row.identifier_type, row.dropped_count]),
      [
        ['7700000001', 'phone', 3],
        ['ada@example.com', 'email', 3],
        ['chatbot:7700000001', 'chatbot', 3],
        ['chatbot:chat-2', 'chatbot', 3],
        ['web:visitor-1', 'web', 3],
      ],
    );
  });

  async function dropReferences(...tables: string[]): Promise<void> {
    const { rows } = await client.query(
      `select conrelid::regclass::text as table, conname as name from pg_constraint
       where contype = 'f' and conrelid::regclass::text = any($1)`,
      [tables],
    );
    for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
  }

  /** A row with these values, and something of the right type in every other column that must have a value. */
  async function insertFilled(table: string, values: Record<string, unknown>): Promise<void> {
    const { rows } = await client.query(
      `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
       where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
         and a.attidentity = ''`,
      [table],
    );
    const filled: Record<string, unknown> = {};
    for (const { name, type } of rows) filled[name] = fillers[type] ?? 'x';
    const row = { ...filled, ...values };
    const names = Object.keys(row);
    await client.query(
      `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    );
  }

  const fillers: Record<string, unknown> = {
    uuid: randomUUID(),
    bigint: 1,
    integer: 1,
    boolean: false,
    jsonb: '{}',
    'text[]': [],
    'uuid[]': [],
    bytea: Buffer.from('x'),
  };
});
