/** The one way in: what the API, the widget and a connector share. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { createApp } from '../../app.ts';
import type { App } from '../../platform/http/http.ts';
import { systemActor } from '../accounts/accounts.ts';
import type { Intake } from './messages.ts';

describe('the message intake', () => {
  let service: TestService;
  let talk: Conversations;
  /** A second app over the same context, which notes what goes through the intake. */
  let app: App;
  const taken: string[] = [];
  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
    const { intake } = service.context;
    const noting: Intake = {
      ...intake,
      send: (actor, body, details) => {
        taken.push(body.content ?? '');
        return intake.send(actor, body, details);
      },
      sendIn: (actor, body, details, run) => {
        taken.push(body.content ?? '');
        return intake.sendIn(actor, body, details, run);
      },
    };
    app = await createApp({ ...service.context, intake: noting });
  });
  after(async () => {
    await app.close();
    await service.close();
  });

  const post = async (url: string, token: string | null, payload: object, headers: object = {}) => {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await app.inject({
      method: 'POST',
      url,
      payload,
      headers: { ...authorization, ...headers },
    });
    return { status: response.statusCode, text: response.body, body: response.json() as Json };
  };
  const actor = () => systemActor(service.admin.accountId);

  it('takes every message of the API and of the widget, and both are stored', async () => {
    const content = unique('through the intake');
    const ofApi = await post('/messages', service.token, {
      content,
      fromChannelIdentifier: 'api',
      sessionId: unique('api'),
    });
    assert.equal(ofApi.status, 202, ofApi.text);
    const { body: visit } = await post('/widget/sessions', null, { channel: 'web' });
    const ofWidget = await post('/widget/messages', visit.token, { clientId: unique('client-id'), content });
    assert.equal(ofWidget.status, 202, ofWidget.text);
    assert.deepEqual(taken, [content, content]);
    assert.deepEqual((await talk.messages(ofApi.body.sessionId)).length, 1);
    const page = await service.call('GET', '/widget/messages', { token: visit.token });
    assert.deepEqual(
      page.body.messages.map((one: Json) => [one.id, one.position]),
      [[ofWidget.body.id, ofWidget.body.position]],
    );
  });

  it('needs no request: a connector sends with an actor and a body', async () => {
    const sessionId = unique('connector');
    const body = { content: 'Hello', fromChannelIdentifier: 'api', sessionId };
    const { send } = service.context.intake;
    const first = await send(actor(), body, { nameNew: () => 'Named by the connector' });
    assert.deepEqual([first.accepted.isNewSession, first.position, first.isRepeated], [true, 1, false]);
    const second = await send(actor(), body, { nameNew: () => 'Not again' });
    assert.deepEqual([second.accepted.isNewSession, second.position], [false, 2]);
    assert.equal((await talk.session(sessionId)).sessionName, 'Named by the connector');
    // Nothing of it is lost in a batch.
    const third = await send(actor(), body, { withoutAi: true, needsPerson: true });
    assert.equal(third.accepted.message, 'message stored; the AI is paused');
    assert.equal((await talk.session(sessionId)).needsAttention, true);
    await assert.rejects(send(actor(), { ...body, content: ' ' }), {
      message: 'content or attachments required',
    });
  });

  it('answers a message that is sent again under its own id with the first, also at once', async () => {
    const sessionId = unique('repeated');
    const body = { content: 'Once', fromChannelIdentifier: 'api', sessionId };
    const sends = await Promise.all(
      [1, 2, 3, 4].map(() => service.context.intake.send(actor(), body, { providerMsgId: 'p-1' })),
    );
    assert.equal(new Set(sends.map((one) => one.accepted.userMessage.id)).size, 1);
    assert.deepEqual(sends.map((one) => one.isRepeated).sort(), [false, true, true, true]);
    const [message, ...others] = await talk.messages(sessionId);
    assert.deepEqual([message.providerMsgId, others], ['p-1', []]);
  });

  it('an Idempotency-Key stores one message and answers with the same bytes, in and out of a batch', async () => {
    const ids = [unique('keyed'), unique('keyed'), unique('plain')];
    for (const sessionId of ids) await talk.accepted({ sessionId });
    const send = (sessionId: string, key?: string) =>
      post(
        '/messages',
        service.token,
        { content: 'keyed', fromChannelIdentifier: 'api', sessionId },
        key === undefined ? {} : { 'idempotency-key': key },
      );
    const [one, again, other, plain] = await Promise.all([
      send(ids[0]!, 'key-of-one'),
      send(ids[0]!, 'key-of-one'),
      send(ids[1]!, 'key-of-other'),
      send(ids[2]!),
    ]);
    assert.deepEqual([one.status, again.status, other.status, plain.status], [202, 202, 202, 202]);
    assert.equal(again.text, one.text);
    for (const sessionId of ids) assert.equal((await talk.messages(sessionId)).length, 2, sessionId);
  });

  it('a message that is rejected under a key is rejected again, without a second look', async () => {
    const body = { content: 'lost', fromChannelIdentifier: 'no such channel', sessionId: unique('lost') };
    const first = await post('/messages', service.token, body, { 'idempotency-key': 'key-of-lost' });
    const again = await post('/messages', service.token, body, { 'idempotency-key': 'key-of-lost' });
    assert.deepEqual([first.status, again.status], [404, 404]);
    assert.equal(again.text, first.text);
  });
});
