import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { sendingProvider } from '../../../../test/support/providers/sending-provider.ts';
import { sendingStage } from '../../../../test/support/providers/sending-stage.ts';
import type { Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { unavailable } from '../../../platform/http/errors.ts';
import { findMessage } from '../../messages/messages.ts';
import { openSession } from '../../sessions/sessions.ts';
import { ProviderError, type SentPart } from '../connectors.provider.ts';
import { lockOutbound } from './connectors.outbound.sql.ts';
import { settlePart } from './connectors.outcome.ts';

const stage = sendingStage();
const { connected, conversation, say, message, reaches, deliver } = stage;

describe('a send whose answer is lost', () => {
  const lose = (answer: SentPart | 'not sent' | 'unknown') => {
    stage.sending.provider.find = async () => answer;
    stage.sending.onSend = async ({ text }, count) => {
      if (text === 'lost' && count === 1) throw new ProviderError('lost', 'No answer.');
    };
  };

  const stateOf = async (id: string) => {
    const rows = await stage.service.context.db.query<{ state: string; isFree: boolean }>(
      sql`select state, lease_token is null as "isFree" from connector_outbound where message_id = ${id}`,
    );
    return rows[0]!;
  };

  it('is linked if the provider has it, and repeated if it has not', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    lose({ providerMsgId: 'found', status: null });
    const id = await say(channel, sessionId, 'lost');
    assert.equal((await reaches(sessionId, id, 'sent')).providerMsgId, 'found');
    assert.deepEqual(stage.sending.texts(customer), []);
    lose('not sent');
    const missing = await say(channel, sessionId, 'lost');
    await eventually(async () => {
      const { state, isFree } = await stateOf(missing);
      return state === 'sending' && isFree;
    });
    assert.deepEqual(stage.sending.texts(customer), [], 'it may be listed late');
    const { db } = stage.service.context;
    await db.transaction((tx) =>
      tx.query(sql`
        update connector_outbound set due_at = now(), parts = jsonb_set(parts, '{0,startedAt}', '1')
        where message_id = ${missing}`),
    );
    await reaches(sessionId, missing, 'sent');
    assert.deepEqual(stage.sending.texts(customer), ['lost']);
    // What is found belongs to another message.
    lose({ providerMsgId: 'found', status: null });
    const alike = await say(channel, sessionId, 'lost');
    await eventually(async () => (await stateOf(alike)).state === 'unknown');
  });

  it('is not repeated if nobody knows: others go on, and it fails after two minutes', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    lose('unknown');
    const id = await say(channel, sessionId, 'lost');
    await reaches(sessionId, await say(channel, sessionId, 'next'), 'sent');
    assert.equal((await message(sessionId, id)).status, null);
    const { db } = stage.service.context;
    await db.transaction((tx) =>
      tx.query(sql`update connector_outbound set due_at = now() where message_id = ${id}`),
    );
    const { statusReason } = await reaches(sessionId, id, 'failed');
    assert.match(statusReason, /lost/);
    assert.deepEqual(stage.sending.texts(), ['next']);
  });

  it('is settled by a receipt with our id, or by its copy', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    let ourId = '';
    stage.sending.onSend = async (part) => {
      ourId = part.id;
      throw new ProviderError('lost', 'No answer.');
    };
    const unknown = async (id: string) => (await stateOf(id)).state === 'unknown';
    const first = await say(channel, sessionId, 'lost');
    await eventually(() => unknown(first));
    const receipt = { type: 'status', providerMsgId: 'p-1', status: 'delivered', reason: null, ourId };
    await deliver(channel, [receipt]);
    assert.equal((await reaches(sessionId, first, 'delivered')).providerMsgId, 'p-1');
    const second = await say(channel, sessionId, 'copied');
    await eventually(() => unknown(second));
    const { db } = stage.service.context;
    await db.autocommit(sql`update connector_outbound set due_at = now() where message_id = ${second}`);
    await reaches(sessionId, second, 'failed');
    // The same customer, written in another way.
    await db.autocommit(
      sql`update sessions set external_user_id = ${` tel:${customer}`} where session_id = ${sessionId}`,
    );
    const copy = { isEcho: true, providerMsgId: 'p-2', key: 'copy' };
    await deliver(channel, [
      messageOf(customer, 1, { isEcho: true, text: 'another' }),
      messageOf(customer, 2, { ...copy, text: 'copied' }),
      messageOf(customer, 3, { ...copy, key: 'copy again', text: 'copied' }),
    ]);
    assert.equal((await reaches(sessionId, second, 'sent')).providerMsgId, 'p-2');
    const echoes = async () => (await stage.chats.messages(sessionId)).filter(({ isEcho }) => isEcho);
    await eventually(async () => (await echoes()).length > 0);
    assert.deepEqual(
      (await echoes()).map(({ content }) => content),
      ['another'],
    );
  });

  it('applies a receipt that comes before the answer', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    stage.sending.onSend = async (part) => {
      const providerMsgId = `p-${part.id}`;
      await deliver(channel, [{ type: 'status', providerMsgId, status: 'read', reason: null, ourId: null }]);
    };
    await reaches(sessionId, await say(channel, sessionId, 'fast'), 'read');
  });

  it('is given up two minutes after the send, also by a process that was started later', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const { db, clock } = stage.service.context;
    const hung = Promise.withResolvers<void>();
    stage.sending.onSend = () => hung.promise;
    const id = await say(channel, sessionId, 'long ago');
    await eventually(async () => (await stateOf(id)).state === 'sending');
    const sentAt = clock.now() - 60_000;
    // As a process that was killed a minute ago leaves it.
    await db.autocommit(sql`
      update connector_outbound set lease_token = gen_random_uuid(), due_at = now(),
        parts = jsonb_set(parts, '{0,startedAt}', to_jsonb(${sentAt}::bigint))
      where message_id = ${id}`);
    await eventually(async () => (await stateOf(id)).state === 'unknown');
    const [row] = await db.query<{ left: number }>(sql`
      select extract(epoch from due_at - now())::float8 as left from connector_outbound where message_id = ${id}`);
    assert.ok(row!.left <= 60, `${row!.left} s`);
    hung.resolve();
  });

  it('applies a receipt that finds nothing while its message is linked', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    lose('unknown');
    const id = await say(channel, sessionId, 'lost');
    await eventually(async () => (await stateOf(id)).state === 'unknown');
    const { db, clock, accountConfig } = stage.service.context;
    const { accountId } = stage.service.admin;
    const { directory } = await accountConfig.fresh(accountId);
    const providerMsgId = 'linked-slowly';
    await db.transaction(async (tx) => {
      const { state } = await openSession(tx, accountId, sessionId);
      const stored = await findMessage(tx, accountId, sessionId, id);
      const [{ outboundId }] = (await tx.query<{ outboundId: string }>(
        sql`select id as "outboundId" from connector_outbound where message_id = ${id}`,
      )) as [{ outboundId: string }];
      const row = await lockOutbound(tx, accountId, outboundId);
      const context = { accountId, now: clock.now(), directory };
      await settlePart(tx, context, state!, stored!, row!, 0, { providerMsgId, status: null });
      await deliver(channel, [{ type: 'status', providerMsgId, status: 'read', reason: null, ourId: null }]);
      await eventually(async () => {
        const seen = await db.query(sql`
          select 1 from connector_items where channel_id = ${channel.id} and state = 'early'
          union all
          select 1 from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`);
        return seen.length > 0;
      });
    });
    await reaches(sessionId, id, 'read');
  });

  it('is in the log, and an administrator sends it again', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    stage.sending.onSend = async (_part, count) => {
      if (count === 1) throw new ProviderError('final', 'The number is unknown.');
    };
    const id = await say(channel, sessionId, 'again');
    await reaches(sessionId, id, 'failed');
    const path = `/channels/${channel.id}/connector/log`;
    const entry = async () =>
      (await stage.service.call('GET', path)).body.items.find((one: Json) => one.messageId === id);
    const { id: entryId, at, ...shown } = await entry();
    assert.deepEqual(shown, {
      direction: 'out',
      state: 'failed',
      customer,
      summary: 'again',
      reason: 'The number is unknown.',
      messageId: id,
      sessionId,
      canRetry: true,
    });
    assert.ok(at > 0);
    assert.equal((await stage.service.call('POST', `${path}/${entryId}/retry`)).status, 200);
    assert.equal((await reaches(sessionId, id, 'sent')).statusReason, null);
    assert.deepEqual([(await entry()).state, (await entry()).canRetry], ['done', false]);
    assert.equal((await stage.service.call('POST', `${path}/${entryId}/retry`)).status, 409);
  });

  it('is looked up by the process that takes over after a crash', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    const { db } = stage.service.context;
    const hung = Promise.withResolvers<void>();
    let calls = 0;
    stage.sending.onSend = async () => {
      calls++;
      await hung.promise;
    };
    stage.sending.provider.find = async (_link, { id }) => ({ providerMsgId: `p-${id}`, status: null });
    const id = await say(channel, sessionId, 'once');
    await eventually(() => calls === 1);
    // As a process that was killed leaves it, once its lease is over.
    await db.transaction((tx) =>
      tx.query(sql`
        update connector_outbound set lease_token = gen_random_uuid(), due_at = now() where message_id = ${id}`),
    );
    const { providerMsgId } = await reaches(sessionId, id, 'sent');
    hung.resolve();
    await reaches(sessionId, await say(channel, sessionId, 'next'), 'sent');
    assert.deepEqual(stage.sending.texts(customer), ['once', 'next']);
    assert.deepEqual([calls, (await message(sessionId, id)).providerMsgId], [2, providerMsgId]);
  });
});

describe('a message of two parts', () => {
  const text = 'This is the first sentence. This is the second one.';
  const report = (providerMsgId: string, status: string, ourId: string | null) => ({
    type: 'status',
    providerMsgId,
    status,
    reason: null,
    ourId,
  });

  it('that failed is sent once late receipts have settled its parts', async () => {
    stage.use(sendingProvider({ text: 40 }));
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const ours: string[] = [];
    stage.sending.onSend = async ({ id }) => {
      ours.push(id);
      throw new ProviderError('lost', 'No answer.');
    };
    const id = await say(channel, sessionId, text);
    await eventually(() => ours.length === 2);
    const { db } = stage.service.context;
    await eventually(async () => {
      const rows = await db.autocommit(sql`
        update connector_outbound set due_at = now() where message_id = ${id} and state = 'unknown' returning 1`);
      return rows.length > 0;
    });
    await reaches(sessionId, id, 'failed');
    const states = () =>
      db.query(
        sql`select state, parts->0->>'state' as first from connector_outbound where message_id = ${id}`,
      );
    await deliver(channel, [report('late-0', 'delivered', ours[0]!)]);
    await eventually(async () => (await message(sessionId, id)).providerMsgId === 'late-0');
    assert.deepEqual(
      [await states(), (await message(sessionId, id)).status],
      [[{ state: 'failed', first: 'sent' }], 'failed'],
    );
    await deliver(channel, [report('late-1', 'delivered', ours[1]!)]);
    await reaches(sessionId, id, 'delivered');
    assert.deepEqual(await states(), [{ state: 'sent', first: 'sent' }]);
  });

  it('of which one is reported as failed is repeated in that part only', async () => {
    stage.use(sendingProvider({ text: 40 }));
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const id = await say(channel, sessionId, text);
    await reaches(sessionId, id, 'sent');
    const second = stage.sending.parts[1]!;
    await deliver(channel, [report(`p-${second.id}`, 'failed', null)]);
    await reaches(sessionId, id, 'failed');
    stage.sending.onSend = async () => ({ providerMsgId: 'again', status: null });
    const path = `/channels/${channel.id}/connector/log`;
    const { items } = (await stage.service.call('GET', path)).body;
    const entry = items.find((one: Json) => one.messageId === id && one.direction === 'out');
    assert.equal((await stage.service.call('POST', `${path}/${entry.id}/retry`)).status, 200);
    await reaches(sessionId, id, 'sent');
    assert.deepEqual(stage.sending.texts().slice(2), [second.text]);
  });
});

describe('a database that is away for a while', () => {
  it('neither loses the answer of a send nor keeps a row that was given up', async (t) => {
    const channel = await connected();
    const [slow, other] = [await conversation(channel), await conversation(channel)];
    const { accountConfig, links } = stage.service.context;
    const hung = Promise.withResolvers<void>();
    const calls: string[] = [];
    stage.sending.onSend = async ({ text }) => {
      calls.push(text);
      if (text === 'slow') await hung.promise;
      if (text !== 'once') return;
      const { fresh } = accountConfig;
      let failures = 2;
      t.mock.method(accountConfig, 'fresh', async (...args: Parameters<typeof fresh>) => {
        if (failures-- > 0) throw unavailable('away');
        return fresh(...args);
      });
    };
    const waiting = await say(channel, slow.sessionId, 'slow');
    await eventually(() => calls.includes('slow'));
    t.mock.method(links, 'open', async () => Promise.reject(unavailable('away')), { times: 1 });
    const id = await say(channel, other.sessionId, 'once');
    assert.match((await reaches(other.sessionId, id, 'sent')).providerMsgId, /^p-/);
    hung.resolve();
    await reaches(slow.sessionId, waiting, 'sent');
    assert.deepEqual(calls, ['slow', 'once']);
  });

  it('makes no process send twice what it has claimed again', async () => {
    stage.use(sendingProvider({ text: 40 }));
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calls: string[] = [];
    const looked: string[] = [];
    stage.sending.onSend = async ({ id }) => {
      calls.push(id.slice(-1));
      await (id.endsWith('.0') ? first : second).promise;
    };
    stage.sending.provider.find = async (_link, { id }) => {
      looked.push(id.slice(-1));
      return id.endsWith('.0') ? { providerMsgId: `p-${id}`, status: null } : 'not sent';
    };
    const id = await say(channel, sessionId, 'This is the first sentence. This is the second one.');
    await eventually(() => calls.length === 1);
    // Its lease is over, as after some seconds without the database.
    await eventually(async () => {
      if (calls.length === 2) return true;
      const { db } = stage.service.context;
      await db.transaction((tx) =>
        tx.query(
          sql`update connector_outbound set due_at = now() where message_id = ${id} and state = 'sending'`,
        ),
      );
      return false;
    });
    first.resolve();
    await eventually(() => looked.includes('1'));
    second.resolve();
    await reaches(sessionId, id, 'sent');
    assert.deepEqual(calls, ['0', '1']);
  });
});
