/** Tools of agents in the dashboard: calls that wait for a person, in the conversation. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf } from '../support/conversations.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { callsTools, type ModelServer, says, startOpenAiServer } from '../support/model-servers.ts';
import type { Json } from '../support/service.ts';
import { startToolServer, type ToolServer } from '../support/tool-server.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('tools', () => {
  let stage: DashboardStage;
  let talk: Conversations;
  let model: ModelServer;
  let shop: ToolServer;
  before(async () => {
    model = await startOpenAiServer();
    shop = await startToolServer();
    stage = await startDashboard(loopbackAllowed);
    talk = conversationsOf(stage.service);
  });
  after(async () => {
    await stage.close();
    await model.close();
    await shop.close();
  });

  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await stage.service.call(method, path, { ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const refund = (): Promise<Json> =>
    call('POST', '/tools', {
      ...{ name: 'refund_order', description: 'Refunds an order.', kind: 'write', method: 'POST' },
      url: `${shop.origin}/orders/{orderId}/refunds`,
      parameters: {
        type: 'object',
        properties: { orderId: { type: 'string' }, amount: { type: 'number' } },
        required: ['orderId', 'amount'],
      },
    });

  it('a waiting call is approved or rejected in the conversation, and says what became of it', async () => {
    const tool = await refund();
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl };
    const agent = await talk.agent({ ...connected, name: 'Barista', toolIds: [tool.id] });
    const { identifier } = await talk.channel({ defaultAgentId: agent.id });
    const asked = async (content: string): Promise<string> => {
      const given = { orderId: `2024-${content}`, amount: 5 };
      model.script(callsTools({ name: tool.name, arguments: given }), says('A colleague has to confirm it.'));
      const { sessionId } = await talk.accepted({ content, fromChannelIdentifier: identifier });
      await talk.settled(sessionId);
      return sessionId;
    };
    const first = await asked('7');
    const { page, errors, close } = await stage.open(stage.service.admin, { path: `/inbox/${first}` });
    const waiting = page.getByRole('region', { name: 'Waiting for approval' });
    await waiting.getByText('Barista asks to use the tool').waitFor();
    await waiting.getByText('2024-7').waitFor();
    assert.match((await waiting.textContent())!, /Nothing happens without an approval\. Expires /);
    await page.getByRole('link', { name: /Needs attention/ }).waitFor();
    model.script(says('It is refunded.'));
    await waiting.getByRole('button', { name: 'Approve' }).click();
    const done = page.getByRole('group').filter({ hasText: 'refund_order' });
    await done.getByText('Done').waitFor();
    await done.getByText(/^approved by /).waitFor();
    await page.getByRole('log').getByText('It is refunded.').waitFor();
    assert.equal(await waiting.count(), 0);
    assert.deepEqual(
      shop.seen.map(({ url }) => url),
      ['/orders/2024-7/refunds'],
    );

    // It arrives while the conversation is open, and is decided elsewhere.
    model.script(callsTools({ name: tool.name, arguments: { orderId: '9', amount: 1 } }), says('Again.'));
    await talk.accepted({ content: 'And another', sessionId: first, fromChannelIdentifier: identifier });
    await waiting.waitFor();
    await talk.pause(first);
    await page.getByText('Cancelled').waitFor();

    const second = await asked('8');
    await page.goto(`${stage.base}/app/inbox/${second}`);
    await waiting.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Rejected').waitFor();
    assert.equal(shop.seen.length, 1);
    assert.deepEqual(errors(), []);
    await close();
  });
});
