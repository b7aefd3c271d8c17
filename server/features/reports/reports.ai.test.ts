import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { assertBadRequest } from '../../../test/support/crm.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';

describe('the report of the AI', () => {
  let service: TestService;
  let channelId: string;
  const ids: string[] = [];
  before(async () => {
    service = await joinTestService();
    const chats = conversationsOf(service);
    const closed = await chats.kanban();
    const members = { userIds: [service.admin.userId] };
    await service.call('PUT', `/kanbans/${closed.id}/members`, { body: members });
    const channel = await chats.channel();
    channelId = channel.id;
    const { admin, context } = service;
    for (const place of [{ kanbanId: closed.id }, {}]) {
      const sent = await chats.accepted({ fromChannelIdentifier: channel.identifier, ...place });
      ids.push(sent.sessionId);
      // No worker answers here.
      await context.db.transaction((tx) =>
        tx.query(sql`
          insert into reply_log (account_id, id, session_id, message_id, agent_id, agent_version, outcome, created_at)
          values (${admin.accountId}, ${randomUUID()}, ${sent.sessionId}, ${randomUUID()},
            ${channel.defaultAgentId}, 1, 'sent', ${Date.now() + ids.length})`),
      );
    }
  });
  after(() => service.close());

  const ask = async (path: string, token?: string): Promise<Json> => {
    const answer = await service.call('GET', `/reports/ai${path}`, token ? { token } : {});
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const scope = () => `channelId=${channelId}&to=${Date.now() + 60_000}`;

  it('each figure opens its conversations, page by page', async () => {
    const { total, agents } = await ask(`?${scope()}`);
    assert.equal(total.replies, 2);
    const [agent] = agents;
    assert.equal(agent.versions[0].replies, 2);
    const own = `agentId=${agent.agentId}&version=${agent.versions[0].version}`;
    const query = `/conversations?${scope()}&${own}&figure=replies&limit=1`;
    const first = await ask(query);
    const second = await ask(`${query}&nextToken=${first.nextToken}`);
    assert.equal(second.nextToken, null);
    const found = [...first.items, ...second.items].map((one: Json) => one.sessionId);
    assert.deepEqual(found, ids.toReversed());
    assert.deepEqual((await ask(`/conversations?${scope()}&figure=held`)).items, []);
    assert.deepEqual((await ask(`?${scope()}&agentId=none`)).agents, []);
    const withoutAgent = await service.call('GET', '/reports/ai?version=1');
    assertBadRequest(withoutAgent, 'version needs agentId');
  });

  it('what the copilot wrote is counted by what became of it, by person, on boards that the reader may see', async () => {
    const { admin, context } = service;
    const operator = await service.createUser('operator');
    const from = Date.now();
    const made = [
      [ids[0], admin.userId, 'accepted'],
      [ids[1], admin.userId, 'edited'],
      [ids[1], admin.userId, null],
      [ids[1], operator.id, 'discarded'],
    ] as const;
    for (const [sessionId, userId, outcome] of made) {
      await context.db.transaction((tx) =>
        tx.query(sql`
          insert into copilot_suggestions (account_id, id, session_id, agent_id, user_id, task, created_at, outcome)
          values (${admin.accountId}, ${newId()}, ${sessionId!}, ${randomUUID()}, ${userId}, 'suggest', ${Date.now()},
            ${outcome})`),
      );
    }
    const read = async (token?: string): Promise<Json> => {
      const query = `${scope()}&from=${from}&bucket=day`;
      const { body } = await service.call('GET', `/reports/copilot?${query}`, token ? { token } : {});
      return body;
    };
    const figures = (suggested: number, accepted: number, edited: number, discarded: number) => ({
      suggested,
      accepted,
      edited,
      discarded,
    });
    const { total, users, buckets } = await read();
    assert.deepEqual(total, figures(4, 1, 1, 1));
    assert.deepEqual(
      users.map(({ name: _, ...one }: Json) => one),
      [
        { userId: admin.userId, ...figures(3, 1, 1, 0) },
        { userId: operator.id, ...figures(1, 0, 0, 1) },
      ],
    );
    const sum = buckets.reduce((all: number, one: Json) => all + one.suggested, 0);
    assert.equal(sum, 4);
    assert.deepEqual((await read(operator.jwt)).total, figures(3, 0, 1, 1));
  });

  it('a person gets the figures and conversations of their boards, and no conversation without the right to read it', async () => {
    const operator = await service.createUser('operator');
    const list = `/conversations?${scope()}&figure=replies`;
    assert.equal((await ask(`?${scope()}`, operator.jwt)).total.replies, 1);
    assert.deepEqual(
      (await ask(list, operator.jwt)).items.map((one: Json) => one.sessionId),
      [ids[1]],
    );
    // Only a signed-in administrator gives rights.
    const token = service.admin.jwt;
    const { body: role } = await service.call('POST', '/roles', {
      token,
      body: { name: 'Figures', permissions: ['reports.view'] },
    });
    await service.call('PATCH', `/users/${operator.id}`, { token, body: { roleId: role.id } });
    assert.equal((await ask(`?${scope()}`, operator.jwt)).total.replies, 1);
    assert.deepEqual((await ask(list, operator.jwt)).items, []);
  });
});
