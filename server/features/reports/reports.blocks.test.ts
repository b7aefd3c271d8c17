/** Sums over many conversations, and figures that are removed while they are computed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { Sql, sql } from '../../platform/db/sql.ts';
import { correctCounts } from '../privacy/retention/retention.remove.sql.ts';
import { createRollUp, rollUpConversations } from './reports.jobs.ts';

describe('blocks of conversations', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  /** Three conversations of one channel, each with one message of the customer. */
  const begin = async () => {
    const chats = conversationsOf(service);
    const channel = await chats.channel();
    const place = { fromChannelIdentifier: channel.identifier };
    const begun = [await chats.accepted(place), await chats.accepted(place), await chats.accepted(place)];
    return { channel, sessionIds: begun.map(({ sessionId }) => sessionId) };
  };
  const rollUp = (leastInBlock: number) =>
    rollUpConversations(service.context.db, Date.now() + 60_000, { quietMs: 0, leastInBlock });
  /** A whole number of quarters of an hour: what a boundary cuts is read by message. */
  const customersOf = async (channelId: string): Promise<number> => {
    const to = Math.ceil(Date.now() / 900_000 + 1) * 900_000;
    const answer = await service.call('GET', `/reports/messages-per-hour?channelId=${channelId}&to=${to}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.total.customer;
  };
  /** Only a block can tell so: it is what the report reads. */
  const mark = (channelId: string) =>
    service.context.db.transaction((tx) =>
      tx.query(
        sql`update traffic_blocks set customer[1] = customer[1] + 100 where channel_id = ${channelId} returning 1`,
      ),
    );
  /** As retention does where it removes messages of a conversation that stays. */
  const removeMessages = (sessionId: string) =>
    service.context.db.transaction(async (tx) => {
      await tx.query(sql`delete from messages where session_id = ${sessionId}`);
      await correctCounts(tx, service.admin.accountId, sessionId);
    });

  it('figures that are removed while a block is computed do not stay in it', async () => {
    const { db } = service.context;
    const { channel, sessionIds } = await begin();
    const none = 1_000_000;
    await rollUp(none);
    let refreshing!: Promise<void>;
    await assert.rejects(
      db.transaction(async (tx) => {
        // The same block, not committed: the statement that computes it has its snapshot and waits to insert.
        await tx.query(sql`
          insert into traffic_blocks
          select account_id, kanban_id, channel_id, agent_id, (created_at / ${30 * 86_400_000}::bigint)::int, 0, 0, 0,
            '{}', '{}', '{}', '{}', '{}'
          from sessions where session_id = ${sessionIds[0]}`);
        refreshing = rollUp(2);
        await eventually(async () => {
          const waiting = await db.query(sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
              and query like '%with known as materialized%' and pid <> pg_backend_pid()`);
          return waiting.length > 0;
        });
        await removeMessages(sessionIds[1]!);
        throw new Error('rolled back');
      }),
      /rolled back/,
    );
    await refreshing;
    assert.equal(await customersOf(channel.id), 2);
    await rollUp(2);
    assert.equal(await customersOf(channel.id), 2);
    assert.equal((await mark(channel.id)).length, 1);
    assert.equal(await customersOf(channel.id), 102, 'the block is used again');
  });

  it('blocks are used again after the next run of the job where retention removed messages', async () => {
    const [one, other] = [await begin(), await begin()];
    const job = createRollUp(service.context.db, { quietMs: 0, leastInBlock: 2 });
    const now = Date.now() + 60_000;
    await job(now);
    await removeMessages(one.sessionIds[0]!);
    assert.equal(await customersOf(one.channel.id), 2);
    // Longer than the job looks back for what has changed.
    await job(now + 3 * 3_600_000);
    await job(now + 5 * 3_600_000);
    for (const [{ channel }, customers] of [
      [one, 2],
      [other, 3],
    ] as const) {
      assert.equal(await customersOf(channel.id), customers);
      assert.equal((await mark(channel.id)).length, 1);
      assert.equal(await customersOf(channel.id), customers + 100);
    }
    assert.deepEqual(await service.context.db.query(sql`select from removed_figures`), []);
  });

  it('an account whose blocks cannot be computed keeps no other one back', async () => {
    const { db } = service.context;
    const { channel, sessionIds } = await begin();
    const chats = conversationsOf(service);
    const other = await service.createAccount();
    for (let i = 0; i < 2; i++) {
      const sent = await chats.send({}, { token: other.token });
      assert.ok(sent.status < 300, sent.text);
    }
    const blocks = (of: Sql) => chats.count(sql`traffic_blocks where ${of}`);
    const failed: string[] = [];
    const job = createRollUp(db, {
      ...{ quietMs: 0, leastInBlock: 2 },
      onFailed: (accountId) => failed.push(accountId),
    });
    const alter = (change: string) =>
      db.transaction((tx) => tx.query(new Sql([`alter table traffic_blocks ${change}`], [])));
    await alter(`add constraint refused check (channel_id <> '${channel.id}') not valid`);
    const now = Date.now() + 60_000;
    await job(now);
    assert.deepEqual(failed, [service.admin.accountId]);
    assert.equal(await blocks(sql`channel_id = ${channel.id}`), 0);
    assert.equal(await blocks(sql`account_id = ${other.accountId}`), 1);
    await alter('drop constraint refused');
    // It was a walk over everything all the same: the next one is over what has changed.
    const of = sql`session_id = ${sessionIds[0]}`;
    await db.transaction((tx) =>
      tx.query(sql`update sessions set updated_at = ${now - 24 * 3_600_000} where ${of}`),
    );
    await job(now + 300_000);
    assert.equal(
      await chats.count(sql`conversation_figures f join sessions s using (account_id, session_id)
        where f.session_updated_at = s.updated_at and ${of}`),
      0,
    );
  });
});
