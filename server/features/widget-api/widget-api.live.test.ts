/** The widget's WebSocket: what it sends, and what it rejects. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { connectLive, listen } from '../../../test/support/live.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe("the widget's live connection", () => {
  let service: TestService;
  let talk: Conversations;
  let liveUrl: string;
  let url: string;
  const sockets: WebSocket[] = [];
  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
    liveUrl = await listen(service.app);
    url = liveUrl.replace(/\/ws$/, '/widget/live');
  });
  after(async () => {
    for (const socket of sockets) socket.terminate();
    await service.close();
  });

  const visit = async (): Promise<string> =>
    (
      await talk.expect(
        200,
        service.call('POST', '/widget/sessions', { token: null, body: { channel: 'web' } }),
      )
    ).token;
  const connect = async () => {
    const socket = new WebSocket(url, { origin: 'null' });
    sockets.push(socket);
    const frames: Json[] = [];
    const state = { code: 0 };
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    socket.on('close', (code) => {
      state.code = code;
    });
    socket.on('error', () => {});
    await once(socket, 'open');
    const closedAs = async () => {
      await eventually(() => state.code !== 0);
      return state.code;
    };
    const next = async (holds: (frame: Json) => boolean): Promise<Json> => {
      await eventually(() => frames.some(holds));
      return frames.find(holds);
    };
    const say = (frame: unknown) => socket.send(JSON.stringify(frame));
    return { socket, frames, next, say, closedAs };
  };
  const hello = async (token: string, place = { position: 0, since: 0 }) => {
    const client = await connect();
    client.say({ type: 'hello', token, ...place });
    return { ...client, first: await client.next(({ type }) => type === 'hello') };
  };
  const send = (token: string, content: string) =>
    talk.expect(
      202,
      service.call('POST', '/widget/messages', { token, body: { clientId: unique('live-client'), content } }),
    );
  const conversation = async (content: string): Promise<Json> => {
    const { items } = await talk.expect(200, service.call('GET', '/sessions?limit=100'));
    for (const one of items) {
      if ((await talk.messages(one.sessionId)).some((message) => message.content === content)) return one;
    }
    throw new Error('there is no such conversation');
  };
  const refusedFor = async (reason: string): Promise<number> => {
    const { text } = await service.call('GET', '/metrics');
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`talkboard_widget_refused_total{reason="${reason}"}`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  it('receipts are told to the webhook of a channel that forwards updates, each message once', async () => {
    const [token, content] = [await visit(), unique('receipts')];
    await send(token, content);
    const { sessionId, channelId } = await conversation(content);
    const webhook = { webhookUrl: 'https://hooks.example.com/chat', settings: { forwardUpdates: true } };
    await talk.expect(200, service.call('PATCH', `/channels/${channelId}`, { body: webhook }));
    await talk.pause(sessionId);
    for (const text of ['one', 'two']) await talk.operatorSays(channelId, sessionId, { content: text });
    const body = { position: 100, status: 'read' };
    for (let times = 0; times < 2; times++)
      await talk.expect(204, service.call('POST', '/widget/receipts', { token, body }));
    const rows = await service.context.db.query<{ body: string; sequence: number }>(sql`
      select body, sequence from events where event = 'message_updated' and subject_id = ${sessionId} order by sequence`);
    const told = rows.map((row) => JSON.parse(row.body));
    assert.deepEqual(
      told.map(({ direction, data: { message } }) => [direction, message.content, message.status]),
      [
        ['outgoing', 'one', 'read'],
        ['outgoing', 'two', 'read'],
      ],
    );
    assert.equal(rows[1]!.sequence, rows[0]!.sequence + 1);
    await talk.expect(200, service.call('PATCH', `/channels/${channelId}`, { body: { webhookUrl: null } }));
  });

  it('tells of replies and of who answers, never of notes or of other conversations', async () => {
    const [token, other] = [await visit(), await visit()];
    const [content, elsewhere] = [unique('listening'), unique('elsewhere')];
    await send(token, content);
    await send(other, elsewhere);
    const client = await hello(token);
    assert.deepEqual(
      client.first.messages.map(({ text }: Json) => text),
      [content],
    );
    const own = await conversation(content);
    const theirs = await conversation(elsewhere);
    await talk.pause(own.sessionId);
    await talk.operatorSays(own.channelId, own.sessionId, { content: 'a note', isNote: true });
    await talk.operatorSays(theirs.channelId, theirs.sessionId, { content: 'for someone else' });
    await talk.operatorSays(own.channelId, own.sessionId, { content: 'for you' });
    await client.next(({ type, message }) => type === 'message' && message.text === 'for you');
    await client.next(({ type, state }) => type === 'state' && state.answering === 'human');
    const told = JSON.stringify(client.frames);
    assert.ok(!told.includes('a note') && !told.includes('for someone else') && !told.includes(elsewhere));
  });

  it('a reply that takes over ends what the widget says about the assistant', async () => {
    const token = await visit();
    const content = unique('taken over');
    await send(token, content);
    const { sessionId, channelId } = await conversation(content);
    const client = await hello(token);
    assert.equal(client.first.state.answering, 'assistant');
    await talk.operatorSays(channelId, sessionId, { content: 'A person here', pauseAi: true });
    await client.next(({ type, state }) => type === 'state' && state.answering === 'human');
  });

  it('a connection that comes back gets what it missed, and what has changed, once', async () => {
    const token = await visit();
    const content = unique('resumed');
    await send(token, content);
    const { sessionId, channelId } = await conversation(content);
    await talk.pause(sessionId);
    await talk.operatorSays(channelId, sessionId, { content: 'before' });
    const first = await hello(token);
    const place = { position: first.first.messages.at(-1).position, since: first.first.time };
    first.socket.terminate();
    await talk.operatorSays(channelId, sessionId, { content: 'missed 1' });
    await talk.operatorSays(channelId, sessionId, { content: 'missed 2' });
    const second = await hello(token, place);
    assert.equal(second.first.reset, false);
    const texts = second.first.messages.map(({ text }: Json) => text);
    assert.deepEqual(
      texts.filter((text: string) => text.startsWith('missed')),
      ['missed 1', 'missed 2'],
    );
    assert.equal(new Set(second.first.messages.map(({ id }: Json) => id)).size, texts.length);
  });

  it('typing is seen from both sides, but not that of someone who is blocked', async () => {
    const token = await visit();
    const content = unique('typing');
    await send(token, content);
    const { sessionId } = await conversation(content);
    const operator = await connectLive(liveUrl, service.call, service.admin.jwt);
    const visitor = await hello(token);
    visitor.say({ type: 'typing', isTyping: true });
    const typing = await operator.next('typing', (data) => data.sessionId === sessionId);
    assert.equal(typing.person, null);
    operator.say({ type: 'typing', sessionId, isTyping: true });
    const seen = await visitor.next(({ type }) => type === 'typing');
    assert.equal(seen.isTyping, true);
    await service.call('POST', `/blocked-contacts/${sessionId}`);
    const before = operator.of('typing').length;
    visitor.say({ type: 'typing', isTyping: false });
    await send(token, 'dropped');
    const marker = await visit();
    await send(marker, unique('after the blocked one'));
    await operator.next('message.created', ({ message }) =>
      message.content.startsWith('after the blocked one'),
    );
    assert.equal(operator.of('typing').length, before);
    await operator.end();
  });

  it('forged tokens, frames of another kind, floods and frames that are too large end the connection, counted', async () => {
    const token = await visit();
    const tokens = await refusedFor('token');
    for (const bad of [`${token}x`, token.slice(0, -2), `tbv_${'A'.repeat(80)}`]) {
      const client = await connect();
      client.say({ type: 'hello', token: bad, position: 0, since: 0 });
      assert.equal(await client.closedAs(), 4401);
    }
    assert.equal(await refusedFor('token'), tokens + 3);
    for (const frame of [
      { type: 'typing', isTyping: true },
      { type: 'hello', token: service.token, position: 0, since: 0 },
      7,
    ]) {
      const client = await connect();
      client.say(frame);
      assert.equal(await client.closedAs(), 4400);
    }
    const flooding = await hello(token);
    for (let index = 0; index < 40; index++) flooding.say({ type: 'typing', isTyping: index % 2 === 0 });
    assert.equal(await flooding.closedAs(), 4429);
    const large = await connect();
    large.socket.send('x'.repeat(1024 * 1024));
    assert.equal(await large.closedAs(), 1009);
    assert.ok((await refusedFor('flood')) >= 1 && (await refusedFor('frame')) >= 3);
    assert.equal((await service.call('GET', '/widget/live', { token: null })).status, 426);
  });
});
