/** Calls that change something: they wait for a person, are made once, and never begin after a pause. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { absentId } from '../../../test/support/api-samples.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  callsTools,
  type ModelServer,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { isFull } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { startToolServer, type ToolServer } from '../../../test/support/tool-server.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

const apiKey = 'sk-test';
const given = { orderId: '7', amount: 5 };

describe('calls that change something', () => {
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;
  let shop: ToolServer;
  let tool: Json;
  let agentId: string;
  let identifier: string;
  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> =>
    talk.expect(status, service.call(method, path, body && { body }));
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    model = await startOpenAiServer({ apiKey });
    shop = await startToolServer();
    const properties = { orderId: { type: 'string' }, amount: { type: 'number' } };
    tool = await call(201, 'POST', '/tools', {
      ...{ name: 'refund_order', description: 'Refunds an order.', kind: 'write', method: 'POST' },
      url: `${shop.origin}/orders/{orderId}/refunds`,
      parameters: { type: 'object', properties, required: ['orderId', 'amount'] },
      timeoutMs: 2_000,
    });
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey };
    agentId = (await talk.agent({ ...connected, toolIds: [tool.id] })).id;
    identifier = (await talk.channel({ defaultAgentId: agentId })).identifier;
  });
  beforeEach(async () => {
    shop.seen.length = 0;
    shop.answer((response) => response.end('{"refunded":true}'));
    await forgetCalls();
  });
  /** An account has 60 a minute. */
  const forgetCalls = async () => {
    await service.context.db.query(sql`delete from rate_limit_hits`);
    await service.context.db.query(sql`delete from rate_limit_counters`);
  };
  after(async () => {
    await service.close();
    await model.close();
    await shop.close();
  });

  /** A conversation whose agent has asked for the refund. */
  const asked = async (): Promise<{ sessionId: string; callId: string }> => {
    model.script(callsTools({ name: tool.name, arguments: given }), says('A colleague has to confirm it.'));
    const { sessionId } = await talk.accepted({
      content: 'I want a refund',
      fromChannelIdentifier: identifier,
    });
    await talk.settled(sessionId);
    const [{ id }] = await calls(sessionId);
    return { sessionId, callId: id };
  };
  const path = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/tool-calls`;
  const calls = async (sessionId: string): Promise<Json[]> => (await call(200, 'GET', path(sessionId))).items;
  const stateOf = async (sessionId: string): Promise<string> => (await calls(sessionId))[0]!.state;
  const decide = (status: number, sessionId: string, callId: string, verb: 'approve' | 'reject') =>
    call(status, 'POST', `${path(sessionId)}/${callId}/${verb}`);
  const ended = async (sessionId: string) => {
    await eventually(async () => !['waiting', 'running'].includes(await stateOf(sessionId)), 20_000);
    await talk.settled(sessionId);
  };
  const pause = (sessionId: string) => talk.pause(sessionId);

  it('waits for a person, who is asked for, and the model says so', async () => {
    const { sessionId, callId } = await asked();
    const [{ requestedAt, ...waiting }] = await calls(sessionId);
    assert.ok(requestedAt > 0);
    assert.deepEqual(waiting, {
      ...{ id: callId, toolId: tool.id, agentId, name: 'refund_order', arguments: given },
      ...{ state: 'waiting', decidedBy: null, result: null },
    });
    assert.equal(shop.seen.length, 0);
    assert.equal((await talk.session(sessionId)).needsAttention, true);
    const [{ toolCalls, outcome }] = await talk.replyLog(sessionId);
    assert.equal(outcome, 'sent');
    assert.match(toolCalls[0].result, /waits for a colleague/);
    await call(200, 'PATCH', `/sessions/${sessionId}`, { needsAttention: false });
    assert.equal((await talk.session(sessionId)).needsAttention, true, 'while it waits');
  });

  it('an approved call is made once, with a key, and the agent writes a follow-up', async () => {
    const { sessionId, callId } = await asked();
    model.script(says('It is refunded.'));
    const approved = await decide(200, sessionId, callId, 'approve');
    assert.equal(approved.state, 'running');
    await decide(409, sessionId, callId, 'approve');
    await decide(409, sessionId, callId, 'reject');
    await ended(sessionId);
    await talk.settled(sessionId);
    const [done] = await calls(sessionId);
    assert.deepEqual([done!.state, done!.result], ['done', '{"refunded":true}']);
    assert.ok(done!.decidedBy);
    const [request, ...more] = shop.seen;
    assert.deepEqual([request!.url, request!.body, more], ['/orders/7/refunds', '{"amount":5}', []]);
    assert.equal(request!.headers['idempotency-key'], callId);
    const said = (await talk.messages(sessionId)).map(({ role, content }: Json) => `${role}: ${content}`);
    assert.match(
      said.at(-2)!,
      /^system: The tool refund_order, approved by .*, was carried out\.\n\{"refunded":true}$/,
    );
    assert.equal(said.at(-1), 'assistant: It is refunded.');
    assert.equal((await talk.session(sessionId)).needsAttention, false);
  });

  it('a rejected call is never made', async () => {
    const { sessionId, callId } = await asked();
    assert.equal((await decide(200, sessionId, callId, 'reject')).state, 'rejected');
    await decide(409, sessionId, callId, 'approve');
    assert.equal((await talk.session(sessionId)).needsAttention, false);
    assert.equal(shop.seen.length, 0);
  });

  it('404 for a call of another conversation, or none', async () => {
    const [one, other] = [await asked(), await asked()];
    await decide(404, one.sessionId, other.callId, 'approve');
    await decide(404, one.sessionId, absentId, 'approve');
    await decide(404, one.sessionId, 'x', 'reject');
  });

  /** A day passes. */
  const expire = async (callId: string) => {
    const { db } = service.context;
    await db.query(
      sql`update tool_calls set requested_at = requested_at - ${24 * 3_600_000} where id = ${callId}`,
    );
    await db.query(
      sql`update jobs set run_at = now() where kind = 'expired-tool-call' and dedupe_key = ${callId}`,
    );
  };

  it('expires after 24 hours, and the conversation needs no attention for it', async () => {
    const { sessionId, callId } = await asked();
    await expire(callId);
    assert.equal(await stateOf(sessionId), 'expired');
    await decide(409, sessionId, callId, 'approve');
    await eventually(async () => !(await talk.session(sessionId)).needsAttention);
  });

  it('a conversation still needs attention after an expiry if a reply has failed meanwhile', async () => {
    const { sessionId, callId } = await asked();
    const { db } = service.context;
    await db.query(sql`update reply_log set outcome = 'failed' where session_id = ${sessionId}`);
    await expire(callId);
    await eventually(async () => {
      const left = await db.query(sql`select from jobs where dedupe_key = ${callId}`);
      return left.length === 0;
    });
    assert.equal((await talk.session(sessionId)).needsAttention, true);
  });

  it('a call that fails, or has no answer, is not repeated', async () => {
    const failing = await asked();
    shop.answer((response) => response.writeHead(422).end('too late'));
    await decide(200, failing.sessionId, failing.callId, 'approve');
    await ended(failing.sessionId);
    const [failed] = await calls(failing.sessionId);
    assert.deepEqual([failed!.state, failed!.result], ['failed', 'answered 422\ntoo late']);
    const cut = await asked();
    shop.answer((response) => response.socket!.destroy());
    await decide(200, cut.sessionId, cut.callId, 'approve');
    await ended(cut.sessionId);
    assert.equal(await stateOf(cut.sessionId), 'unknown');
    assert.equal(shop.seen.length, 2);
  });

  it('a call that was cut off while it ran is unknown', async () => {
    const { sessionId, callId } = await asked();
    const { db } = service.context;
    // What a process that died has left: the next attempt of the job finds the row claimed.
    await db.query(sql`
      with dead as (update tool_calls set state = 'claimed' where id = ${callId} returning account_id)
      insert into jobs (account_id, id, kind, payload, run_at, max_attempts)
      select account_id, ${callId}, 'tool-call', ${JSON.stringify({ sessionId, callId })}, now(), 5 from dead`);
    await ended(sessionId);
    assert.equal(await stateOf(sessionId), 'unknown');
    assert.equal(shop.seen.length, 0);
  });

  it('a pause cancels what waits', async () => {
    const { sessionId, callId } = await asked();
    await pause(sessionId);
    assert.equal(await stateOf(sessionId), 'cancelled');
    await decide(409, sessionId, callId, 'approve');
  });

  it('a transfer cancels what waits', async () => {
    const transferred = await asked();
    const { id } = await talk.agent({});
    const { channelId } = await talk.session(transferred.sessionId);
    await call(200, 'PATCH', `/channels/${channelId}`, { allowedAgentIds: [id] });
    await call(200, 'POST', `/sessions/${transferred.sessionId}/transfer`, { agentId: id });
    assert.equal(await stateOf(transferred.sessionId), 'cancelled');
  });

  it('a block cancels what waits', async () => {
    const externalUserId = '+442079460123';
    model.script(callsTools({ name: tool.name, arguments: given }), says('A colleague has to confirm it.'));
    const { sessionId } = await talk.accepted({
      content: 'Hi',
      fromChannelIdentifier: identifier,
      externalUserId,
    });
    await talk.settled(sessionId);
    assert.equal(await stateOf(sessionId), 'waiting');
    const contact = encodeURIComponent(externalUserId);
    await talk.expect(201, service.call('POST', `/blocked-contacts/${contact}`, {}));
    assert.equal(await stateOf(sessionId), 'cancelled');
  });

  const rounds = isFull ? 500 : 12;
  it(`no write begins after a pause: ${rounds} times around an approval`, async () => {
    const seen = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      if (round % 20 === 0) await forgetCalls();
      shop.seen.length = 0;
      // Its answer comes after the pause, so a reply that follows would come after it too.
      const paused = Promise.withResolvers<void>();
      shop.answer((response) => void paused.promise.then(() => response.end('{}')));
      const { sessionId, callId } = await asked();
      const pausing = async (): Promise<string> => {
        // Before, with and after what the approval starts.
        if (round % 3 > 0) await wait(((round * 7) % 40) / (round % 3));
        await pause(sessionId);
        const [row] = await service.context.db.query<{ state: string }>(
          sql`select state from tool_calls where id = ${callId}`,
        );
        paused.resolve();
        return row!.state;
      };
      const approving = service.call('POST', `${path(sessionId)}/${callId}/approve`, {});
      const [{ status }, atPause] = await Promise.all([approving, pausing()]);
      assert.ok(status === 200 || status === 409);
      await ended(sessionId);
      const state = await stateOf(sessionId);
      seen.add(state);
      assert.deepEqual(
        [atPause, state],
        atPause === 'cancelled' ? ['cancelled', 'cancelled'] : ['running', 'done'],
      );
      assert.equal(shop.seen.length, state === 'cancelled' ? 0 : 1, state);
      await talk.settled(sessionId);
      const sent = (await talk.replyLog(sessionId)).filter(({ outcome }: Json) => outcome === 'sent');
      assert.equal(sent.length, 1, 'the reply before the pause');
    }
    assert.ok(
      [...seen].every((state) => ['done', 'cancelled'].includes(state)),
      [...seen].join(),
    );
  });

  const runningRounds = isFull ? 500 : 6;
  it(`no reply after a pause: ${runningRounds} times while a call runs, approved or within a reply`, async () => {
    const { id: toolId } = await call(201, 'POST', '/tools', {
      ...{ name: 'find_order', description: 'Finds an order.', kind: 'read', method: 'GET' },
      ...{ url: `${shop.origin}/orders`, parameters: { type: 'object', properties: {} } },
    });
    await call(200, 'PATCH', `/agents/${agentId}`, { toolIds: [tool.id, toolId] });
    for (let round = 0; round < runningRounds; round++) {
      if (round % 20 === 0) await forgetCalls();
      const isApproved = round % 2 === 0;
      const begun = Promise.withResolvers<void>();
      const paused = Promise.withResolvers<void>();
      shop.seen.length = 0;
      shop.answer((response) => {
        begun.resolve();
        void paused.promise.then(() => response.end('{}'));
      });
      const approved = isApproved ? await asked() : null;
      const sessionId = approved?.sessionId ?? unique('read');
      if (approved) {
        await decide(200, sessionId, approved.callId, 'approve');
      } else {
        model.script(callsTools({ name: 'find_order', arguments: {} }), says('It is on its way.'));
        await talk.accepted({ sessionId, content: 'Where is it?', fromChannelIdentifier: identifier });
      }
      await begun.promise;
      await pause(sessionId);
      paused.resolve();
      if (approved) await ended(sessionId);
      await eventually(async () => {
        const jobs = sql`jobs where account_id = ${service.admin.accountId} and payload ->> 'sessionId' = ${sessionId}
          and kind <> 'expired-tool-call'`;
        return (await talk.count(jobs)) === 0;
      }, 20_000);
      const replies = await talk.replies(sessionId);
      assert.equal(replies.length, isApproved ? 1 : 0, 'none after the pause');
      assert.equal(shop.seen.length, 1);
      if (isApproved) assert.equal(await stateOf(sessionId), 'done');
    }
    await call(200, 'PATCH', `/agents/${agentId}`, { toolIds: [tool.id] });
  });

  it('a write that nobody has to approve is made within the reply, once', async () => {
    await call(200, 'PATCH', `/tools/${tool.id}`, { approval: 'never' });
    model.script(callsTools({ name: tool.name, arguments: given }), says('It is refunded.'));
    const { sessionId } = await talk.accepted({
      content: 'I want a refund',
      fromChannelIdentifier: identifier,
    });
    await talk.settled(sessionId);
    const [done] = await calls(sessionId);
    assert.deepEqual([done!.state, done!.decidedBy, shop.seen.length], ['done', null, 1]);
    const [{ toolCalls }] = await talk.replyLog(sessionId);
    assert.equal(toolCalls[0].result, '{"refunded":true}');
    // What a process that died in the middle has left.
    const { db } = service.context;
    await db.query(sql`update tool_calls set state = 'running' where id = ${done!.id}`);
    assert.equal(await stateOf(sessionId), 'running');
    await db.query(sql`update tool_calls set requested_at = requested_at - 60_000 where id = ${done!.id}`);
    assert.equal(await stateOf(sessionId), 'unknown');
    await call(200, 'PATCH', `/tools/${tool.id}`, { approval: 'always' });
  });
});
