import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { sendingStage } from '../../../../test/support/providers/sending-stage.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import type { Json } from '../../../../test/support/service.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { pruneConnectors } from '../connectors.jobs.ts';
import { ProviderError } from '../connectors.provider.ts';
import { pauseSends, reserveSend } from './connectors.pace.sql.ts';

const stage = sendingStage();
const { connected, conversation, say, reaches, deliver } = stage;

const change = async (channel: Json, connector: object | null) => {
  const answer = await stage.service.call('PATCH', `/channels/${channel.id}`, { body: { connector } });
  assert.equal(answer.status, 200, answer.text);
};
const does = async (channel: Json, verb: 'connect' | 'disconnect') => {
  const { status } = await stage.service.call('POST', `/channels/${channel.id}/connector/${verb}`);
  assert.equal(status, 200);
};
interface Row {
  state: string;
  attempts: number;
  isLeased: boolean;
  dueIn: number;
}
/** Of a message, and whether it waits for a time that has not come. */
const rowOf = async (id: string): Promise<Row> => {
  const rows = await stage.service.context.db.query<Row>(sql`
    select state, attempts, lease_token is not null as "isLeased",
      extract(epoch from due_at - now())::float8 as "dueIn"
    from connector_outbound where message_id = ${id} and kind = 'message'`);
  return rows[0]!;
};
/** A later row of another channel was claimed: the claim has seen all that were written before. */
const passedBy = async () => {
  const channel = await connected();
  const { sessionId } = await conversation(channel);
  await reaches(sessionId, await say(channel, sessionId, 'passes'), 'sent');
};
const reserve = (channel: Json, customer: string) =>
  reserveSend(stage.service.context.db, stage.service.admin.accountId, {
    channelId: channel.id,
    customer,
    perSecond: 1_000,
    perCustomerSecond: null,
  });

/** The next send has to wait for its time, and does not look for a pause before `goOn`. */
function holdReserved(t: TestContext): { hasWaited: Promise<void>; goOn(): void } {
  const { db } = stage.service.context;
  const { autocommit, query } = db;
  const [waited, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const isOf = (statement: Sql, word: string) => statement.strings.some((text) => text.includes(word));
  t.mock.method(db, 'autocommit', async (statement: Sql) => {
    const rows = await autocommit<{ reserved: boolean; waitMs: number }>(statement);
    return rows.map((row) => (row.waitMs === undefined ? row : { ...row, waitMs: 1 }));
  });
  t.mock.method(db, 'query', async (statement: Sql) => {
    if (isOf(statement, 'max(paused_until)')) {
      waited.resolve();
      await held.promise;
    }
    return query(statement);
  });
  return { hasWaited: waited.promise, goOn: held.resolve };
}

describe('a provider that asks to send more slowly', () => {
  const longMs = 3_600_000;

  it('makes the whole channel wait, also what has reserved its time, until it is connected anew', async (t) => {
    const channel = await connected();
    const [first, second] = [await conversation(channel), await conversation(channel)];
    const { sessionId: third } = await conversation(channel);
    const refused = Promise.withResolvers<void>();
    stage.sending.onSend = async ({ text }) => {
      if (text !== 'refused') return;
      await refused.promise;
      throw new ProviderError('retry', 'Too many requests.', longMs);
    };
    const refusedId = await say(channel, first.sessionId, 'refused');
    await eventually(async () => (await rowOf(refusedId)).state === 'sending');
    const { hasWaited, goOn } = holdReserved(t);
    const reserved = await say(channel, second.sessionId, 'has its time');
    await hasWaited;
    refused.resolve();
    await eventually(async () => (await rowOf(refusedId)).attempts === 1);
    goOn();
    await eventually(async () => (await rowOf(reserved)).dueIn > 600);
    const later = await say(channel, third, 'later');
    await passedBy();
    const { isLeased, dueIn, state } = await rowOf(later);
    assert.deepEqual([isLeased, dueIn <= 0, state], [false, true, 'waiting'], 'it was not claimed');
    assert.deepEqual(stage.sending.texts(), ['passes']);
    await change(channel, { credentials: { botToken: 'good-token' } });
    await reaches(third, later, 'sent');
  });

  it('about one customer makes only this one wait', async () => {
    const channel = await connected();
    const [slow, other] = [await conversation(channel), await conversation(channel)];
    stage.sending.onSend = async ({ text }) => {
      if (text === 'refused') throw new ProviderError('retry', 'Slowly.', longMs, 'customer');
    };
    const refused = await say(channel, slow.sessionId, 'refused');
    await eventually(async () => (await rowOf(refused)).attempts === 1);
    await reaches(other.sessionId, await say(channel, other.sessionId, 'goes'), 'sent');
    const { reserved, waitMs } = await reserve(channel, slow.customer);
    assert.deepEqual([reserved, waitMs > longMs / 2], [false, true]);
    assert.equal((await reserve(channel, other.customer)).reserved, true);
  });
});

describe('a connector that is removed', () => {
  it('fails what waits, now and later, with its reason', async () => {
    const channel = await connected();
    const [{ sessionId }, other] = [await conversation(channel), await conversation(channel)];
    stage.sending.onSend = async () => {
      throw new ProviderError('retry', 'Not now.');
    };
    const retried = await say(channel, sessionId, 'retried');
    const behind = await say(channel, sessionId, 'behind');
    await eventually(async () => (await rowOf(retried)).attempts > 0);
    await does(channel, 'disconnect');
    const waiting = await say(channel, other.sessionId, 'waiting');
    await change(channel, null);
    for (const [session, id] of [
      [sessionId, retried],
      [sessionId, behind],
      [other.sessionId, waiting],
    ] as const) {
      const { statusReason } = await reaches(session, id, 'failed');
      assert.equal(statusReason, 'The connector of the channel was removed before the message was sent.');
    }
    assert.deepEqual(stage.sending.texts(), []);
  });
});

describe('a contact who is blocked', () => {
  it('gets nothing that was queued before: no message, no reaction, no read mark', async () => {
    const channel = await connected();
    const [blocked, other] = [await conversation(channel), await conversation(channel)];
    await deliver(channel, [messageOf(blocked.customer, 1), messageOf(other.customer, 1)]);
    const received = async (sessionId: string) =>
      (await stage.chats.messages(sessionId)).find(({ providerMsgId }) => providerMsgId?.endsWith(':1'));
    await eventually(async () => (await received(blocked.sessionId)) && (await received(other.sessionId)));
    await does(channel, 'disconnect');
    const { id: theirs } = await received(blocked.sessionId);
    const reactions = `/sessions/${blocked.sessionId}/messages/${theirs}/reactions`;
    const reaction = { body: { action: 'add', emoji: '👍' } };
    assert.equal((await stage.service.call('POST', reactions, reaction)).status, 200);
    const id = await say(channel, blocked.sessionId, 'queued');
    const block = await stage.service.call('POST', `/blocked-contacts/${blocked.customer}`, {
      body: { identifierType: 'chatbot' },
    });
    assert.equal(block.status, 201, block.text);
    await does(channel, 'connect');
    const { statusReason } = await reaches(blocked.sessionId, id, 'failed');
    assert.equal(statusReason, 'The contact was blocked before the message was sent.');
    const { db } = stage.service.context;
    const reasons = await db.query(sql`
      select distinct state, reason from connector_outbound where session_id = ${blocked.sessionId}
        and state <> 'sent'`);
    assert.deepEqual(reasons, [{ state: 'failed', reason: statusReason }]);
    for (const { sessionId } of [blocked, other]) {
      await stage.service.call('PATCH', `/sessions/${sessionId}`, { body: { unread: 0 } });
    }
    await eventually(() => stage.sending.others.some((one) => one.startsWith(`read ${other.customer}`)));
    assert.deepEqual(stage.sending.texts(blocked.customer), []);
    assert.deepEqual(
      stage.sending.others.filter((one) => /^(read|react) /.test(one) && one.includes(blocked.customer)),
      [],
    );
  });
});

describe('a file', () => {
  it('is read when its turn has come, not before', async (t) => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    const file = await (await filesOf(stage.service))
      // Not a picture: nothing else reads it, such as a thumbnail's job.
      .upload('application/pdf', sampleFiles['application/pdf']!(), 'a.pdf');
    const { blobs, db } = stage.service.context;
    const pause = { channelId: channel.id, customer, waitMs: 3_600_000 };
    await pauseSends(db, stage.service.admin.accountId, pause);
    const read = t.mock.method(blobs, 'withLocalFile');
    const id = await say(channel, sessionId, { content: 'later', attachments: [file] });
    await eventually(async () => {
      const { dueIn, isLeased } = await rowOf(id);
      return dueIn > 600 && !isLeased;
    });
    assert.equal(read.mock.callCount(), 0);
    await db.autocommit(sql`delete from connector_pace where channel_id = ${channel.id}`);
    await db.autocommit(sql`update connector_outbound set due_at = now() where message_id = ${id}`);
    await reaches(sessionId, id, 'sent');
    assert.equal(read.mock.callCount(), 1);
  });
});

describe('old rows', () => {
  it('are deleted in batches, those that are open or newer stay', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const kept = await say(channel, sessionId, 'kept');
    await reaches(sessionId, kept, 'sent');
    const { db, clock } = stage.service.context;
    const { accountId } = stage.service.admin;
    const count = 4_500;
    const old = clock.now() - 9 * 24 * 3_600_000;
    const ids = Array.from({ length: count }, () => newId(old));
    await db.autocommit(sql`
      insert into connector_outbound (account_id, id, channel_id, session_id, kind, message_id, state, due_at, created_at,
        updated_at)
      select ${accountId}::uuid, id, ${channel.id}::uuid, ${sessionId}, 'message', ${kept}::uuid,
        case when place = 1 then 'unknown' when place % 2 = 0 then 'sent' else 'failed' end, now() + interval '1 day',
        ${old}::bigint, ${old}::bigint
      from unnest(${ids}::uuid[]) with ordinality as n (id, place)`);
    await pruneConnectors({ db, clock });
    const left = await db.query<{ state: string }>(sql`
      select state from connector_outbound where session_id = ${sessionId} and message_id = ${kept} order by seq`);
    assert.deepEqual(
      left.map(({ state }) => state),
      ['sent', 'unknown'],
    );
  });
});
