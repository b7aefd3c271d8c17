import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { updateStoredContactKeys } from './sessions.ts';

describe('contact keys that an older release stored', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];

  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  /** A block as version 1 of the rule stored it. */
  const storedBlock = async (identifier: string, key: string, createdAt: number) => {
    const { db } = service.context;
    await db.transaction((tx) =>
      tx.query(sql`
        insert into blocked_contacts (account_id, contact_key, identifier_value, identifier_type, reason, created_by,
          created_at, dropped_count)
        values (${service.admin.accountId}, ${key}, ${identifier}, 'phone', ${`reason of ${identifier}`}, 'someone',
          ${createdAt}, 3)`),
    );
  };
  const keyOf = async (sessionId: string) => {
    const [row] = await service.context.db.query<{ key: string }>(
      sql`select contact_key as key from sessions where session_id = ${sessionId}`,
    );
    return row!.key;
  };

  it('are recomputed once, in small batches too; of blocks that become one the older stays', async () => {
    const written: [string, string, string][] = [
      ['+44 20 7946 0001', '442079460001', '442079460001'],
      ['0044 20 7946 0002', '00442079460002', '442079460002'],
      ['tel:+442079460003', 'tel:+442079460003', '442079460003'],
      ['442079460004@lid', '442079460004', '442079460004@lid'],
      ['４４2079460005', '４４2079460005', '442079460005'],
    ];
    const sessions = written.map(() => unique('rekeyed'));
    for (const [n, [externalUserId]] of written.entries())
      await talk.accepted({ sessionId: sessions[n], externalUserId });
    const { db } = service.context;
    await db.transaction(async (tx) => {
      for (const [n, [, old]] of written.entries())
        await tx.query(sql`update sessions set contact_key = ${old} where session_id = ${sessions[n]}`);
      await tx.query(sql`delete from contact_key_version`);
    });
    await storedBlock('0044 20 7946 0009', '00442079460009', 1_000);
    await storedBlock('+44 20 7946 0009', '442079460009', 2_000);
    await storedBlock('442079460004@lid', '442079460004', 3_000);
    // Takes the key that the previous one gives up.
    await storedBlock('tel:442079460004', 'tel:442079460004', 4_000);

    await updateStoredContactKeys(db, 2);

    for (const [n, [, , key]] of written.entries()) assert.equal(await keyOf(sessions[n]!), key);
    const { items } = await talk.expect(200, call('GET', '/blocked-contacts'));
    assert.deepEqual(
      items.map((one: Json) => [one.identifierValue, one.reason, one.droppedCount]),
      ['tel:442079460004', '442079460004@lid', '0044 20 7946 0009'].map((one) => [
        one,
        `reason of ${one}`,
        3,
      ]),
    );
    assert.equal((await talk.send({ externalUserId: '+44 20 7946 0009' })).status, 403);
    assert.equal((await talk.send({ externalUserId: '442079460004:7@lid' })).status, 403);
    assert.equal((await talk.send({ externalUserId: '442079460004' })).status, 403);

    await db.transaction((tx) =>
      tx.query(sql`update sessions set contact_key = '00' where session_id = ${sessions[0]}`),
    );
    await updateStoredContactKeys(db);
    assert.equal(await keyOf(sessions[0]!), '00', 'a second start reads nothing');
  });
});
