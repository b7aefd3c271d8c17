/** A database of v1.7.231 with channels and files becomes one with quotas: owners and usage are right from the start. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { migrate } from '../../server/platform/db/migrate.ts';
import { migratedDatabase } from '../support/migrated-database.ts';

describe('an upgrade to quotas', () => {
  const stage = migratedDatabase({ empty: true });

  it('gives each web identifier to its oldest channel and counts the stored bytes', async () => {
    await stage.migrateUntil('create table web_identifiers');
    const [older, newer] = [await account(1), await account(2)];
    const first = await channel(older, 'web', 'shop', 100);
    await channel(newer, 'web', 'shop', 200);
    await channel(older, 'sms', 'garden', 100);
    const second = await channel(newer, 'web', 'garden', 200);
    await file(older, 1_000, 24);
    await file(older, 500, null);

    await migrate(stage.db);

    const { rows } = await stage.client.query(
      'select identifier, account_id, channel_id, retired_at from web_identifiers order by identifier',
    );
    assert.deepEqual(rows, [
      { identifier: 'garden', account_id: newer.id, channel_id: second, retired_at: null },
      { identifier: 'shop', account_id: older.id, channel_id: first, retired_at: null },
    ]);
    const usage = await stage.client.query('select account_id, bytes::int from storage_usage');
    assert.deepEqual(usage.rows, [{ account_id: older.id, bytes: 1_524 }]);
    const limits = await stage.client.query(
      'select distinct max_storage_bytes, ai_replies_per_day from accounts',
    );
    assert.deepEqual(limits.rows, [{ max_storage_bytes: 21_474_836_480, ai_replies_per_day: 20_000 }]);
  });

  interface Made {
    id: string;
    agentId: string;
  }

  async function account(createdAt: number): Promise<Made> {
    const [id, agentId] = [randomUUID(), randomUUID()];
    await stage.client.query(
      `insert into accounts (id, name, crm_per_minute, crm_per_hour, messages_per_minute, created_at)
       values ($1, 'An account', 1, 1, 1, $2)`,
      [id, createdAt],
    );
    await stage.client.query(
      `insert into agents (account_id, id, name, provider, created_at, updated_at)
       values ($1, $2, 'An agent', 'offline', 1, 1)`,
      [id, agentId],
    );
    return { id, agentId };
  }

  async function channel(of: Made, type: string, identifier: string, createdAt: number): Promise<string> {
    const id = randomUUID();
    await stage.client.query(
      `insert into channels (account_id, id, name, identifier, type, default_agent_id, created_at, updated_at)
       values ($1, $2, 'A channel', $3, $4, $5, $6, $6)`,
      [of.id, id, identifier, type, of.agentId, createdAt],
    );
    return id;
  }

  async function file(of: Made, size: number, thumbnail: number | null): Promise<void> {
    await stage.client.query(
      `insert into attachments (account_id, file_key, file_name, content_type, size, created_at, thumbnail_size)
       values ($1, $2, 'f', 'image/png', $3, 1, $4)`,
      [of.id, randomUUID(), size, thumbnail],
    );
  }
});
