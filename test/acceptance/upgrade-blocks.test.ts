/** A block list from before contacts: entries for visitors and chat ids get keys of their own, others stay. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { migrate } from '../../server/platform/db/migrate.ts';
import { migratedDatabase } from '../support/migrated-database.ts';

describe('an upgrade to contacts', () => {
  const stage = migratedDatabase({ empty: true });

  it('keeps each block for those whom it blocked', async () => {
    await stage.migrateUntil('create table contacts');
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

    await migrate(stage.db);

    const { rows } = await stage.client.query(
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
    const { rows } = await stage.client.query(
      `select conrelid::regclass::text as table, conname as name from pg_constraint
       where contype = 'f' and conrelid::regclass::text = any($1)`,
      [tables],
    );
    for (const { table, name } of rows)
      await stage.client.query(`alter table ${table} drop constraint ${name}`);
  }

  /** A row with these values, and something of the right type in every other column that must have a value. */
  async function insertFilled(table: string, values: Record<string, unknown>): Promise<void> {
    const { rows } = await stage.client.query(
      `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
       where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
         and a.attidentity = ''`,
      [table],
    );
    const filled: Record<string, unknown> = {};
    for (const { name, type } of rows) filled[name] = fillers[type] ?? 'x';
    const row = { ...filled, ...values };
    const names = Object.keys(row);
    await stage.client.query(
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
