import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

/**
 * The channel's default agent is `home`, `away` and `mapped` are allowed besides, `mapped` works on the board `its`.
 * A conversation begins with `home` on the default board.
 */
describe('transfer', () => {
  let service: TestService;
  let talk: Conversations;
  let agents: { [name: string]: Json };
  let boards: { [name: string]: Json };
  let channel: Json;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    agents = {
      home: await talk.agent({ name: 'Home' }),
      away: await talk.agent({ name: 'Away' }),
      mapped: await talk.agent({ name: 'Mapped' }),
      stranger: await talk.agent({ name: 'Stranger' }),
    };
    const all = (await service.call('GET', '/kanbans')).body.items;
    boards = {
      main: all.find((one: Json) => one.isDefault),
      other: await talk.kanban({ name: 'Other' }),
      its: await talk.kanban({ name: 'Its' }),
    };
    channel = await talk.channel({
      defaultAgentId: agents.home.id,
      allowedAgentIds: [agents.away.id, agents.mapped.id],
      agentKanbanConfigs: { [agents.mapped.id]: boards.its.id },
    });
  });
  after(() => service.close());

  const idOf = (things: { [name: string]: Json }, name?: string) =>
    name === undefined ? undefined : (things[name]?.id ?? name);
  const nameOf = (things: { [name: string]: Json }, id: string) =>
    Object.keys(things).find((name) => things[name].id === id);
  const send = (sessionId: string, agent?: string, kanban?: string) =>
    talk.send({
      sessionId,
      fromChannelIdentifier: channel.identifier,
      agentId: idOf(agents, agent),
      kanbanId: idOf(boards, kanban),
    });
  const place = async (sessionId: string) => {
    const { agentId, kanbanId } = await talk.session(sessionId);
    return [nameOf(agents, agentId), nameOf(boards, kanbanId)];
  };
  const recordsOf = async (sessionId: string) =>
    (await service.call('GET', `/crm/search?q=${sessionId}&pageSize=100`)).body.items
      .filter((one: Json) => one.title === sessionId)
      .map((one: Json) => [nameOf(boards, one.kanbanId), one.recordId]);

  const firsts: [string | undefined, string | undefined, string, string][] = [
    [undefined, undefined, 'home', 'main'],
    ['home', undefined, 'home', 'main'],
    ['away', undefined, 'away', 'main'],
    ['mapped', undefined, 'mapped', 'its'],
    [undefined, 'other', 'home', 'other'],
    [undefined, 'main', 'home', 'main'],
    ['away', 'other', 'away', 'other'],
    ['mapped', 'other', 'mapped', 'other'],
  ];
  for (const [agent, kanban, toAgent, toKanban] of firsts) {
    it(`new session, agentId ${agent ?? 'none'}, kanbanId ${kanban ?? 'none'}: begins with ${toAgent} on ${toKanban}`, async () => {
      const sessionId = unique('first');
      assert.equal((await send(sessionId, agent, kanban)).status, 202);
      assert.deepEqual(await place(sessionId), [toAgent, toKanban]);
      const { recordId } = await talk.session(sessionId);
      assert.deepEqual(await recordsOf(sessionId), [[toKanban, recordId]]);
      assert.deepEqual(
        (await talk.messages(sessionId)).map((one) => one.role),
        ['user'],
        'no system message',
      );
    });
  }

  const laters: [string | undefined, string | undefined, string, string][] = [
    [undefined, undefined, 'home', 'main'],
    ['home', undefined, 'home', 'main'],
    [undefined, 'main', 'home', 'main'],
    ['home', 'main', 'home', 'main'],
    ['away', undefined, 'away', 'main'],
    ['mapped', undefined, 'mapped', 'its'],
    [undefined, 'other', 'home', 'other'],
    ['away', 'main', 'away', 'main'],
    ['home', 'other', 'home', 'other'],
    ['away', 'other', 'away', 'other'],
    ['mapped', 'other', 'mapped', 'other'],
  ];
  for (const [agent, kanban, toAgent, toKanban] of laters) {
    const moves = toAgent !== 'home' || toKanban !== 'main';
    const outcome = moves ? `goes to ${toAgent} on ${toKanban}` : 'stays';
    it(`existing session, agentId ${agent ?? 'none'}, kanbanId ${kanban ?? 'none'}: ${outcome}`, async () => {
      const sessionId = unique('later');
      await send(sessionId);
      const before = await talk.session(sessionId);
      assert.equal((await send(sessionId, agent, kanban)).status, 202);
      assert.deepEqual(await place(sessionId), [toAgent, toKanban]);
      const after = await talk.session(sessionId);
      const records = await recordsOf(sessionId);
      if (toKanban === 'main') {
        assert.equal(after.recordId, before.recordId);
        assert.equal(records.length, 1);
      } else {
        assert.notEqual(after.recordId, before.recordId);
        assert.deepEqual(
          records.sort(),
          [
            ['main', before.recordId],
            [toKanban, after.recordId],
          ].sort(),
        );
      }
      const messages = await talk.messages(sessionId);
      assert.deepEqual(
        messages.map((one) => one.role),
        moves ? ['user', 'system', 'user'] : ['user', 'user'],
      );
      if (moves) {
        const { content } = messages[1];
        for (const end of ['Home', boards.main.name, agents[toAgent].name, boards[toKanban].name]) {
          assert.ok(content.includes(end), `"${content}" names ${end}`);
        }
      }
    });
  }

  it('kanbanId alone brings the default agent back, whoever had the conversation; the same kanbanId brings nobody', async () => {
    const sessionId = unique('back');
    await send(sessionId, 'away');
    await send(sessionId, undefined, 'main');
    assert.deepEqual(await place(sessionId), ['away', 'main']);
    await send(sessionId, undefined, 'other');
    assert.deepEqual(await place(sessionId), ['home', 'other']);
  });

  it('the same agentId moves nothing, even where agentKanbanConfigs names another board', async () => {
    const sessionId = unique('same');
    await send(sessionId, 'mapped', 'other');
    await send(sessionId, 'mapped');
    assert.deepEqual(await place(sessionId), ['mapped', 'other']);
    assert.equal((await talk.messages(sessionId)).length, 2);
  });

  it('coming back to a board makes no second record, unless the first was deleted', async () => {
    const sessionId = unique('return');
    await send(sessionId);
    const first = (await talk.session(sessionId)).recordId;
    await send(sessionId, undefined, 'other');
    await send(sessionId, undefined, 'main');
    assert.equal((await talk.session(sessionId)).recordId, first);
    assert.equal((await recordsOf(sessionId)).length, 2);
    await send(sessionId, undefined, 'other');
    await service.call('DELETE', `/crm/records/${first}`);
    await send(sessionId, undefined, 'main');
    const second = (await talk.session(sessionId)).recordId;
    assert.ok(second && second !== first);
  });

  it('refusals leave everything as it was: unknown 404, not allowed 400, on new and existing sessions', async () => {
    const existing = unique('refused');
    await send(existing);
    for (const sessionId of [existing, unique('never')]) {
      const expected: [string | undefined, string | undefined, number, string][] = [
        ['nobody', undefined, 404, 'NOT_FOUND'],
        [undefined, 'nowhere', 404, 'NOT_FOUND'],
        ['away', 'nowhere', 404, 'NOT_FOUND'],
        ['stranger', undefined, 400, 'AGENT_NOT_ALLOWED'],
        ['stranger', 'other', 400, 'AGENT_NOT_ALLOWED'],
        ['stranger', 'nowhere', 404, 'NOT_FOUND'],
      ];
      for (const [agent, kanban, status, code] of expected) {
        const answer = await send(sessionId, agent, kanban);
        assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
      }
    }
    assert.deepEqual(await place(existing), ['home', 'main']);
    assert.equal((await talk.messages(existing)).length, 1);
    assert.equal(await talk.count(sql`sessions where session_id like 'never%'`), 0);
  });

  it('an empty allowedAgentIds allows the default agent and no other', async () => {
    const alone = await talk.channel({ defaultAgentId: agents.home.id });
    const to = (agentId: string) => talk.send({ fromChannelIdentifier: alone.identifier, agentId });
    assert.equal((await to(agents.home.id)).status, 202);
    assert.equal((await to(agents.away.id)).body.code, 'AGENT_NOT_ALLOWED');
  });

  it('what was unanswered is not answered after a transfer, and the log says so; the new message is', async () => {
    const sessionId = unique('unanswered');
    const first = (await send(sessionId)).body.userMessage.id;
    const second = (await send(sessionId, 'away')).body.userMessage.id;
    const log = await talk.replyLog(sessionId);
    assert.deepEqual(
      log.map((one) => [one.messageId, one.outcome, one.reason]),
      [[first, 'suppressed', 'session transferred']],
    );
    assert.equal(await talk.count(sql`pending_replies where message_id = ${second}::uuid`), 1);
    assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 1);
  });

  const transfer = (sessionId: string, agent?: string, kanban?: string, token?: string) =>
    service.call('POST', `/sessions/${sessionId}/transfer`, {
      body: { agentId: idOf(agents, agent), kanbanId: idOf(boards, kanban) },
      ...(token && { token }),
    });

  it('an operator transfers without a message: one system message, the card there, unanswered stays unanswered', async () => {
    const sessionId = unique('handed');
    const { userMessage } = (await send(sessionId)).body;
    const moved = await talk.expect(200, transfer(sessionId, 'away', 'other'));
    assert.deepEqual([moved.agentId, moved.kanbanId, moved.unread], [agents.away.id, boards.other.id, 1]);
    assert.deepEqual(moved, await talk.session(sessionId));
    const told = (await talk.messages(sessionId)).map((one) => [one.role, one.content]);
    assert.deepEqual(told.at(-1), [
      'system',
      `Conversation transferred from Home (${boards.main.name}) to Away (Other)`,
    ]);
    assert.equal(told.length, 2);
    assert.ok(
      (await recordsOf(sessionId)).some(
        ([board, id]: string[]) => board === 'other' && id === moved.recordId,
      ),
    );
    const log = await talk.replyLog(sessionId);
    assert.deepEqual(
      log.map((one) => [one.messageId, one.reason]),
      [[userMessage.id, 'session transferred']],
    );
    await talk.expect(200, transfer(sessionId, 'away', 'other'));
    assert.equal((await talk.messages(sessionId)).length, 2, 'there already: nothing is said twice');
  });

  it('an operator’s transfer is refused as a message’s is, and by boards that the operator may not see', async () => {
    const sessionId = unique('refused');
    await send(sessionId);
    const operator = await service.createUser('operator');
    const closed = await talk.kanban();
    await service.call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const expected: [Promise<{ status: number; text: string }>, number][] = [
      [transfer(sessionId), 400],
      [transfer(sessionId, 'stranger'), 400],
      [transfer(sessionId, 'nobody'), 404],
      [transfer(sessionId, undefined, 'nowhere'), 404],
      [transfer('none', 'away'), 404],
      [transfer(sessionId, undefined, closed.id, operator.jwt), 404],
    ];
    for (const [answer, status] of expected) {
      const { status: got, text } = await answer;
      assert.equal(got, status, text);
    }
    assert.deepEqual(await place(sessionId), ['home', 'main']);
    await talk.expect(200, transfer(sessionId, undefined, closed.id));
    assert.equal((await transfer(sessionId, 'away', undefined, operator.jwt)).status, 404);
  });
});
