/** The boards to which an agent's tool may transfer a conversation. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import {
  callsTools,
  type ModelServer,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';

describe("an agent's transfers", () => {
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;
  let home: Json;
  let shared: Json;
  let listed: Json;
  let closed: Json;

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    model = await startOpenAiServer();
    [home, shared, listed, closed] = await Promise.all(
      ['Home', 'Shared', 'Listed', 'Closed'].map((name) => talk.kanban({ name })),
    );
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  /** Where a conversation is after its agent has called the transfer tool, and the tool's result for the model. */
  async function transfer(settings: object, target: object) {
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl };
    const agent = await talk.agent({ ...connected, tools: ['transfer'], ...settings });
    const colleague = await talk.agent({ name: unique('Colleague') });
    const stranger = await talk.agent({ name: unique('Stranger') });
    const channel = await talk.channel({
      defaultAgentId: agent.id,
      allowedAgentIds: [colleague.id, stranger.id],
      agentKanbanConfigs: { [agent.id]: home.id, [colleague.id]: shared.id },
    });
    const names: { [who: string]: string } = { colleague: colleague.name, stranger: stranger.name };
    const given = Object.entries(target).map(([key, value]) => [key, names[value] ?? value]);
    const first = model.requests.length;
    model.choose((_, number) =>
      number === first + 1
        ? callsTools({ name: 'transfer', arguments: Object.fromEntries(given) })
        : says('Done.'),
    );
    const sessionId = unique('talk');
    await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier });
    await talk.replied(sessionId);
    const { kanbanId, agentId } = await talk.session(sessionId);
    const told = JSON.stringify(model.requests.at(-1)!.body.messages.at(-1)!.content);
    return { kanbanId, isWithSame: agentId === agent.id, told };
  }

  it('reach the boards of the channel by default, and no other', async () => {
    assert.equal((await transfer({}, { kanban: 'Shared' })).kanbanId, shared.id);
    for (const kanban of ['Closed', 'Listed']) {
      const { kanbanId, told } = await transfer({}, { kanban });
      assert.equal(kanbanId, home.id, kanban);
      assert.match(told, /Refused: there is no board named/);
    }
  });

  it('reach the boards of allowedKanbanIds and no other, not even one of the channel', async () => {
    const settings = { allowedKanbanIds: [listed.id] };
    assert.equal((await transfer(settings, { kanban: 'listed' })).kanbanId, listed.id);
    for (const kanban of ['Shared', 'Closed']) {
      assert.equal((await transfer(settings, { kanban })).kanbanId, home.id, kanban);
    }
  });

  it('do not reach another board by way of the agent who works there', async () => {
    const bounded = { allowedKanbanIds: [listed.id] };
    const refused = await transfer(bounded, { agent: 'colleague' });
    assert.deepEqual([refused.kanbanId, refused.isWithSame], [home.id, true]);
    assert.match(refused.told, /Refused: this agent may not transfer to the board Shared/);
    const stays = await transfer(bounded, { agent: 'stranger' });
    assert.deepEqual(
      [stays.kanbanId, stays.isWithSame],
      [home.id, false],
      'its own board is always possible',
    );
    assert.equal((await transfer({}, { agent: 'colleague' })).kanbanId, shared.id);
  });

  it('fall back to the default when the last listed board is deleted', async () => {
    const gone = await talk.kanban({ name: 'Gone' });
    const agent = await talk.agent({ allowedKanbanIds: [gone.id] });
    await talk.expect(200, service.call('DELETE', `/kanbans/${gone.id}`));
    assert.deepEqual((await service.call('GET', `/agents/${agent.id}`)).body.allowedKanbanIds, []);
    assert.equal((await transfer({}, { kanban: 'Gone' })).kanbanId, home.id);
    assert.equal((await transfer({}, { kanban: closed.name })).kanbanId, home.id);
  });
});
