import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { sendingProvider } from '../../../../test/support/providers/sending-provider.ts';
import { sendingStage } from '../../../../test/support/providers/sending-stage.ts';
import type { Answer, Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { ProviderError, type ProviderTemplate, type TemplatePlacement } from '../connectors.provider.ts';

const stage = sendingStage();
const { connected, conversation, reaches } = stage;

const template = (more: Partial<ProviderTemplate> = {}): ProviderTemplate => ({
  name: 'order',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  text: 'Hi {{1}}, your order {{2}} is ready, {{1}}.',
  parameterCount: 2,
  ...more,
});

describe('templates', () => {
  let listed: ProviderTemplate[] = [];
  let calls = 0;
  let failure: ProviderError | null = null;
  beforeEach(() => {
    stage.use(sendingProvider({ windowMs: 24 * 3_600_000 }));
    listed = [template()];
    calls = 0;
    failure = null;
    stage.sending.provider.templates = async () => {
      calls++;
      if (failure) throw failure;
      return listed;
    };
  });
  const list = (channelId: string, query = '') =>
    stage.service.call('GET', `/channels/${channelId}/templates${query}`);
  const names = (answer: Answer) => answer.body.items.map(({ name }: Json) => name);
  const post = (sessionId: string, body: object, headers = {}) =>
    stage.service.call('POST', `/sessions/${sessionId}/template`, { body, headers });
  const order = { name: 'order', language: 'en', parameters: ['Ada', '4711'] };
  /** Read when it connected. */
  const read = (channelId: string) =>
    eventually(async () => {
      const [row] = await stage.service.context.db.query<{ at: number | null }>(
        sql`select templates_at as at from connectors where channel_id = ${channelId}`,
      );
      return row!.at !== null;
    });
  const age = (channelId: string) =>
    stage.service.context.db.transaction((tx) =>
      tx.query(sql`update connectors set templates_at = 1 where channel_id = ${channelId}`),
    );
  /** When the provider was last asked because of a template; in the future, so that a slow test changes nothing. */
  const tried = (channelId: string, at: number) =>
    stage.service.context.db.transaction((tx) =>
      tx.query(sql`
        update connectors set templates_retried_at = ${at === 1 ? 1 : at + 600_000} where channel_id = ${channelId}`),
    );

  it('lists all of them by name and language, in pages', async () => {
    listed = Array.from({ length: 7 }, (_, number) =>
      template({ name: `t${number % 4}`, language: number < 4 ? 'en' : 'pt' }),
    );
    const channel = await connected();
    await read(channel.id);
    const found: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: Answer = await list(channel.id, `?limit=3${next && `&nextToken=${next}`}`);
      assert.equal(page.status, 200);
      found.push(...page.body.items.map((one: Json) => `${one.name} ${one.language}`));
      next = page.body.nextToken;
    }
    assert.deepEqual(found, ['t0 en', 't0 pt', 't1 en', 't1 pt', 't2 en', 't2 pt', 't3 en']);
    assert.equal(calls, 1, 'fresh: the provider is not asked again');
  });

  it('asks the provider again after some minutes, and lists the kept ones while it is down', async () => {
    const channel = await connected();
    await read(channel.id);
    listed = [template({ name: 'new', status: 'PENDING' })];
    assert.deepEqual(names(await list(channel.id)), ['order']);
    await age(channel.id);
    const { items } = (await list(channel.id)).body;
    assert.deepEqual(items, [template({ name: 'new', status: 'PENDING' })]);
    failure = new ProviderError('retry', 'down');
    await age(channel.id);
    assert.deepEqual(names(await list(channel.id)), ['new']);
  });

  it('says of a template in the list why it cannot be sent, and keeps where its parameters go to itself', async () => {
    const unsupported = 'it has a part that is not supported (carousel)';
    const placements: TemplatePlacement[] = [{ in: 'header' }, { in: 'body', name: 'order' }];
    listed = [template({ placements }), template({ name: 'cards', unsupported })];
    const channel = await connected();
    await read(channel.id);
    const { items } = (await list(channel.id)).body;
    assert.deepEqual(items, [template({ name: 'cards', unsupported }), template()]);
    const { sessionId } = await conversation(channel);
    const { message } = (await post(sessionId, order)).body;
    assert.deepEqual((await reaches(sessionId, message.id, 'sent')).data, { template: order });
    assert.deepEqual(stage.sending.parts.at(-1)!.template, { ...order, placements });
  });

  it('asks the provider for a template that the list does not allow, but not again within seconds', async () => {
    const channel = await connected();
    await read(channel.id);
    const { sessionId } = await conversation(channel);
    const fresh = { ...order, name: 'fresh' };
    await age(channel.id);
    calls = 0;
    listed = [template(), template({ name: 'fresh', status: 'PENDING' })];
    const pending = await post(sessionId, fresh);
    assert.match(pending.text, /not approved, its status is PENDING/);
    assert.equal(calls, 1);
    listed = [template(), template({ name: 'fresh' })];
    await tried(channel.id, Date.now());
    assert.equal((await post(sessionId, fresh)).status, 400);
    failure = new ProviderError('retry', 'down');
    await age(channel.id);
    assert.equal((await post(sessionId, fresh)).status, 400, 'tried a moment ago');
    assert.equal(calls, 1);
    await tried(channel.id, 1);
    assert.equal((await post(sessionId, fresh)).status, 400, 'the provider is down');
    assert.equal(calls, 2);
    failure = null;
    await tried(channel.id, 1);
    const answers = await Promise.all([1, 2, 3].map(() => post(sessionId, { ...order, name: 'other' })));
    assert.ok(answers.every(({ status }) => status === 400));
    assert.equal(calls, 3, 'one of them asks');
    assert.equal((await post(sessionId, fresh)).status, 201);
    assert.equal(calls, 3);
  });

  it('are none on channels without a connector and on kinds without templates; 404 for no channel', async () => {
    const plain = await stage.chats.channel();
    assert.deepEqual((await list(plain.id)).body, { items: [], nextToken: null });
    stage.sending.provider.templates = undefined;
    const channel = await connected();
    assert.deepEqual((await list(channel.id)).body, { items: [], nextToken: null });
    assert.equal((await list('none')).status, 404);
    const { sessionId } = await conversation(channel);
    const kind = await post(sessionId, order);
    assert.deepEqual([kind.status, /have no templates/.test(kind.text)], [400, true]);
    const unconnected = await stage.chats.accepted({
      fromChannelIdentifier: plain.identifier,
      sessionId: unique('plain'),
    });
    const { status, body } = await post(unconnected.sessionId, order);
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    assert.equal((await post('none', order)).status, 404);
  });

  it('201 as an operator’s reply, sent as a template after the window, once for an Idempotency-Key', async () => {
    const channel = await connected();
    await read(channel.id);
    const { sessionId } = await conversation(channel);
    await stage.service.context.db.transaction((tx) =>
      tx.query(sql`update sessions set window_closes_at = 1 where session_id = ${sessionId}`),
    );
    failure = new ProviderError('retry', 'down');
    const key = { 'idempotency-key': unique('key') };
    const first = await post(sessionId, { ...order, pauseAi: true }, key);
    assert.equal(first.status, 201, first.text);
    assert.deepEqual((await post(sessionId, { ...order, pauseAi: true }, key)).body, first.body);
    const { message } = first.body;
    const content = 'Hi Ada, your order 4711 is ready, Ada.';
    assert.deepEqual(first.body, {
      sessionId,
      message: { ...message, role: 'operator', content, attachments: [] },
    });
    const stored = await reaches(sessionId, message.id, 'sent');
    assert.deepEqual(stored.data, { template: order });
    const sent = stage.sending.parts.map(({ text, template: one, isByPerson }) => [text, one, isByPerson]);
    assert.deepEqual(sent, [[content, order, true]]);
  });

  it('400 that says what is wrong, and nothing is sent', async () => {
    listed = [
      template(),
      template({ name: 'pending', status: 'PENDING' }),
      template({ name: 'picture', unsupported: 'its header needs more than text (image)' }),
    ];
    stage.sending.provider.parameterProblem = (value) => (value === 'bad' ? 'must not be bad' : null);
    const channel = await connected();
    await read(channel.id);
    const { sessionId } = await conversation(channel);
    const wrong: [object, RegExp][] = [
      [{ ...order, name: 'other' }, /other \(en\) does not exist/],
      [{ ...order, language: 'pt' }, /order \(pt\) does not exist/],
      [{ ...order, name: 'pending' }, /pending \(en\) is not approved, its status is PENDING/],
      [{ ...order, parameters: ['Ada'] }, /parameters must have 2 values .* not 1/],
      [{ name: 'order', language: 'en' }, /parameters must have 2 values .* not 0/],
      [{ ...order, parameters: ['Ada', ' '] }, /parameters\[1\] must not be blank/],
      [{ ...order, parameters: ['Ada', 'bad'] }, /parameters\[1\] must not be bad/],
      [{ ...order, name: 'picture' }, /picture \(en\) cannot be sent from here: its header needs more/],
      [{ ...order, parameters: [1, 2] }, /parameters/],
    ];
    for (const [body, expected] of wrong) {
      const { status, text } = await post(sessionId, body);
      assert.equal(status, 400, text);
      assert.match(text, expected);
    }
    await stage.chats.expect(
      200,
      stage.service.call('PATCH', `/channels/${channel.id}`, { body: { enabled: false } }),
    );
    const { status, body } = await post(sessionId, order);
    assert.deepEqual([status, body.code], [409, 'CHANNEL_DISABLED']);
    assert.deepEqual(stage.sending.texts(), []);
    const found = await stage.chats.messages(sessionId);
    assert.ok(found.every(({ role }) => role !== 'operator'));
  });
});
