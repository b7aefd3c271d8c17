import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('first steps', () => {
  let service: TestService;
  let token: string;
  let accountId: string;
  before(async () => {
    service = await startTestService({ worker: true });
    const account = await service.createAccount();
    accountId = account.accountId;
    // As the administrator: the account's token would be a completed step.
    token = account.jwt;
    await service.call('DELETE', `/api-tokens/${(await tokens())[0].id}`, { token });
  });
  after(() => service.close());

  const tokens = async (): Promise<Json[]> =>
    (await service.call('GET', '/api-tokens', { token })).body.items;
  const read = async (): Promise<Json> => (await service.call('GET', '/first-run', { token })).body;
  const done = async (): Promise<string[]> =>
    (await read()).steps.filter(({ doneAt }: Json) => doneAt !== null).map(({ step }: Json) => step);

  const items = async (path: string): Promise<Json[]> => {
    const answer = await service.call('GET', path, { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.items;
  };
  /** The demo's rules have run and have missed, and conversations have waited for too long. */
  const expectRules = async (): Promise<{ own: string }> => {
    const found = await items('/automations');
    assert.deepEqual(
      found.map(({ enabled, stats }) => [enabled, stats.runs30d > 0]),
      [
        [true, true],
        [true, true],
        [false, false],
      ],
    );
    for (const { id } of found.slice(0, 2)) {
      const [run] = await items(`/automations/${id}/runs`);
      const { body } = await service.call('GET', `/automation-runs/${run.id}`, { token });
      assert.deepEqual([body.state, body.steps[0].state, body.steps[0].effects.length], ['done', 'done', 1]);
    }
    const [missed] = await items(`/automations/${found[1]!.id}/verdicts?matched=false`);
    assert.match(missed.reason, /^message was "/);
    const [policy] = await items('/sla-policies');
    const late = await items('/sessions?sla=breached');
    assert.ok(late.length >= 1 && late.every(({ sla }) => sla.policyId === policy.id));
    // Of the demo's whole history: some have waited for longer than the usual period of a report.
    const from = Date.now() - 120 * 24 * 3_600_000;
    const { body: report } = await service.call('GET', `/reports/service-levels?from=${from}`, { token });
    assert.ok(report.total.breached >= late.length && report.total.met > 0, JSON.stringify(report.total));
    const own = await service.call('POST', '/automations', {
      token,
      body: { name: 'Mine', trigger: { on: 'customer_message' }, steps: [{ type: 'resolve' }] },
    });
    return { own: own.body.id };
  };
  /** The rules, and how much is left of those of the demo. */
  const left = async (): Promise<string[]> => {
    const rows = await service.context.db.query<{ id: string }>(sql`
      select id::text from automations where account_id = ${accountId}
      union all select 'run' from automation_runs where account_id = ${accountId}
      union all select 'verdict' from automation_verdicts where account_id = ${accountId}
      union all select 'policy' from sla_policies where account_id = ${accountId}
      union all select 'target' from sla_states where account_id = ${accountId}
      union all select 'result' from sla_results where account_id = ${accountId}`);
    return rows.map(({ id }) => id);
  };

  it('begin with nothing done in an empty workspace that has a chat to try', async () => {
    const first = await read();
    assert.deepEqual(await done(), []);
    assert.equal(first.isEmpty, true);
    assert.equal(first.dismissedAt, null);
    assert.equal(first.chat.channelName, 'Website');
    assert.equal(first.conversation, null);
    assert.equal(first.demo, null);
  });

  it('are not done by a demo, which can be filled, searched and removed here, and of which webhooks and live pages get no events', async () => {
    const { body: inbox } = await service.call('POST', '/webhook-inbox', { token });
    const hook = await service.call('POST', '/webhooks', {
      token,
      body: { url: inbox.url, events: ['crm_record_created', 'crm_field_update'] },
    });
    assert.equal(hook.status, 201, hook.text);
    const searched = async () => (await service.call('GET', '/messages/search', { token })).body.total;
    const messages = await searched();
    const headers = { 'idempotency-key': 'demo-once' };
    const filled = await service.call('POST', '/demo', { token, headers });
    assert.equal(filled.status, 201, filled.text);
    assert.equal(filled.body.conversations, 330);
    assert.ok((await searched()) > messages + 500);
    const told = await service.context.db.query<{ what: string }>(sql`
      select 'delivery' as what from webhook_deliveries where account_id = ${accountId}
      union all select type from live_changes
      where account_id = ${accountId} and (type like 'record.%' or type like 'message.%')
      union all select type from live_log
      where account_id = ${accountId} and (type like 'record.%' or type like 'message.%')`);
    assert.deepEqual(told, []);
    await service.call('DELETE', `/webhooks/${hook.body.id}`, { token });
    const rules = await expectRules();
    const { demo, isEmpty, conversation, chat } = await read();
    assert.equal(demo.used, 0);
    assert.equal(isEmpty, false);
    assert.equal(conversation, null);
    assert.equal(chat.channelName, 'Website');
    assert.deepEqual(await done(), []);
    assert.equal((await service.call('POST', '/demo', { token })).status, 409);
    const { body: boards } = await service.call('GET', '/kanbans', { token });
    const board = boards.items.find(({ name }: Json) => name === 'Demo sales');
    await service.call('POST', `/crm/records?kanbanId=${board.id}`, { token, body: { title: 'Mine' } });
    assert.equal((await read()).demo.used, 1);
    assert.equal((await service.call('DELETE', '/demo', { token })).status, 409);
    const removed = await service.call('DELETE', '/demo?force=true', { token });
    assert.equal(removed.status, 200, removed.text);
    assert.equal(removed.body.conversations, 330);
    assert.equal(await searched(), messages);
    assert.equal((await read()).isEmpty, true);
    assert.equal((await service.call('DELETE', '/demo', { token })).status, 404);
    assert.deepEqual(await left(), [rules.own]);
    await service.call('DELETE', `/automations/${rules.own}`, { token });
  });

  it('are done by what happens, one after the other, and stay done', async () => {
    const { chat } = await read();
    const opened = await service.call('POST', '/widget/sessions', {
      token: null,
      body: { channel: chat.channelId },
    });
    const visitor = opened.body.token;
    const said = await service.call('POST', '/widget/messages', {
      token: visitor,
      body: { content: 'What is Talkboard?', clientId: randomUUID() },
    });
    assert.equal(said.status, 202, said.text);
    assert.deepEqual(await done(), ['chat', 'card']);
    await eventually(async () => (await read()).conversation.answered);
    const { conversation } = await read();
    assert.equal(conversation.recordTitle, conversation.sessionName);

    const path = `/channels/${chat.channelId}/sessions/${conversation.sessionId}/agent-messages`;
    await service.call('POST', path, { token, body: { content: 'Only a note', isNote: true } });
    assert.deepEqual(await done(), ['chat', 'card']);
    await service.call('PATCH', `/sessions/${conversation.sessionId}/ai-paused`, {
      token,
      body: { aiPaused: true },
    });
    await service.call('POST', path, { token, body: { content: 'A person here' } });
    assert.deepEqual(await done(), ['chat', 'card', 'takeOver']);

    const { body: made } = await service.call('POST', '/api-tokens', {
      token,
      body: { name: 'First token' },
    });
    assert.deepEqual(await done(), ['chat', 'card', 'takeOver', 'token']);
    const { body: inbox } = await service.call('POST', '/webhook-inbox', { token });
    const { body: hook } = await service.call('POST', '/webhooks', {
      token,
      body: { url: inbox.url, events: ['crm_record_created'] },
    });
    await service.call('POST', `/webhooks/${hook.id}/test`, { token });
    await eventually(async () => (await done()).length === 5);

    await service.call('DELETE', `/api-tokens/${made.id}`, { token });
    assert.equal((await done()).length, 5);
  });

  it('count conversations of every kind of channel, once the customer has written', async () => {
    const { jwt } = await service.createAccount();
    const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const answer = await service.call(method, path, { token: jwt, body });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const doneThere = async () =>
      (await call('GET', '/first-run')).steps
        .filter((one: Json) => one.doneAt !== null)
        .map((one: Json) => one.step);
    const { items: agents } = await call('GET', '/agents');
    const channel = await call('POST', '/channels', {
      name: 'Text messages',
      identifier: 'texts',
      type: 'sms',
      defaultAgentId: agents[0].id,
    });
    const externalUserId = '+442079460111';
    const { sessionId } = await call('POST', `/channels/${channel.id}/sessions`, {
      externalUserId,
      content: 'We write first',
    });
    assert.deepEqual(await doneThere(), ['token']);
    await call('POST', '/messages', {
      fromChannelIdentifier: 'texts',
      channelType: 'sms',
      sessionId,
      content: 'Hello',
    });
    assert.deepEqual(await doneThere(), ['chat', 'card', 'takeOver', 'token']);
    assert.equal((await call('GET', '/first-run')).conversation.sessionId, sessionId);
  });

  it('are put away and taken out again for the whole workspace, and are nobody else’s', async () => {
    const put = await service.call('PATCH', '/first-run', { token, body: { dismissed: true } });
    assert.equal((await done()).length, 5);
    assert.equal(put.status, 200, put.text);
    assert.equal((await read()).dismissedAt, put.body.dismissedAt);
    const other = await service.createAccount();
    const { body } = await service.call('GET', '/first-run', { token: other.jwt });
    assert.equal(body.dismissedAt, null);
    assert.equal(body.conversation, null);
    await service.call('PATCH', '/first-run', { token, body: { dismissed: false } });
    assert.equal((await read()).dismissedAt, null);
    assert.ok(accountId);
  });
});
