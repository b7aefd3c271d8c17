/** Common steps of tests of sending: a service with a provider that records what it gets. */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../conversations.ts';
import { eventually } from '../eventually.ts';
import { type Json, startTestService, type TestService } from '../service.ts';
import { loopbackAllowed } from '../webhooks.ts';
import { type Sending, sendingProvider } from './sending-provider.ts';

/** Each test begins with a provider of its own. */
export function sendingStage() {
  const stage = {
    service: null as unknown as TestService,
    chats: null as unknown as Conversations,
    sending: null as unknown as Sending,
    use(provider: Sending): void {
      stage.sending = provider;
      stage.service.context.providers.set('telegram', provider.provider);
    },
  };
  before(async () => {
    stage.service = await startTestService({ worker: true, env: loopbackAllowed });
    stage.chats = conversationsOf(stage.service);
  });
  after(() => stage.service.close());
  beforeEach(() => stage.use(sendingProvider()));

  async function connected(more: object = {}): Promise<Json> {
    const connector = { kind: 'telegram', mode: 'webhook', credentials: { botToken: 'good-token' } };
    const channel = await stage.chats.channel({ type: 'chatbot', connector, ...more });
    await eventually(
      async () =>
        (await stage.service.call('GET', `/channels/${channel.id}`)).body.connector.state === 'connected',
    );
    return channel;
  }

  /** A conversation in which only operators write. */
  async function conversation(channel: Json): Promise<{ sessionId: string; customer: string }> {
    const customer = unique('customer');
    const sessionId = `telegram:${customer}`;
    await stage.chats.accepted({
      fromChannelIdentifier: channel.identifier,
      channelType: 'chatbot',
      sessionId,
      externalUserId: customer,
    });
    await stage.chats.replied(sessionId);
    await stage.chats.pause(sessionId);
    await eventually(async () =>
      (await stage.chats.replies(sessionId)).every(({ status }) => status === 'sent'),
    );
    stage.sending.parts.length = 0;
    return { sessionId, customer };
  }

  async function say(channel: Json, sessionId: string, body: object | string): Promise<string> {
    const said = typeof body === 'string' ? { content: body } : body;
    const { status, body: answer, text } = await stage.chats.operatorSays(channel.id, sessionId, said);
    assert.equal(status, 201, text);
    return answer.message.id;
  }

  const message = async (sessionId: string, id: string): Promise<Json> =>
    (await stage.chats.messages(sessionId)).find((one) => one.id === id);
  const reaches = async (sessionId: string, id: string, status: string): Promise<Json> => {
    await eventually(async () => (await message(sessionId, id)).status === status, 15_000);
    return message(sessionId, id);
  };
  /** By the provider, to the inbound address. */
  const deliver = async (channel: Json, items: object[]) => {
    const headers = { 'x-secret': 'good-token' };
    const { status } = await stage.service.call('POST', `/connect/${channel.id}`, { body: items, headers });
    assert.equal(status, 200);
  };

  return Object.assign(stage, { connected, conversation, say, message, reaches, deliver });
}
