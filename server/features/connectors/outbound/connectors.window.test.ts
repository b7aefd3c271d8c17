import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { type Sending, sendingProvider } from '../../../../test/support/providers/sending-provider.ts';
import { sendingStage } from '../../../../test/support/providers/sending-stage.ts';
import type { Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import type { Step } from '../../steps/steps.fill.ts';
import { performStep, withScene } from '../../steps/steps.ts';
import type { InboundMessage } from '../connectors.provider.ts';

const day = 24 * 3_600_000;
const stage = sendingStage();
const { connected, say, reaches, deliver, message } = stage;

function windowed(limits = {}): Sending {
  const sending = sendingProvider({ windowMs: day, ...limits });
  const one = { name: 'greet', language: 'en', category: 'UTILITY', status: 'APPROVED', text: 'Hi {{1}}' };
  sending.provider.templates = async () => [{ ...one, parameterCount: 1 }];
  return sending;
}

describe('the window in which free text may be sent', () => {
  beforeEach(() => stage.use(windowed()));
  const session = (sessionId: string) => stage.chats.session(sessionId);

  /** Delivered by the provider; waits until it is stored. */
  async function writes(
    channel: Json,
    customer: string,
    number: number,
    more: Partial<InboundMessage> = {},
  ): Promise<string> {
    const sessionId = `telegram:${customer}`;
    await deliver(channel, [messageOf(customer, number, more)]);
    await eventually(async () => {
      const { status, body } = await stage.service.call('GET', `/sessions/${sessionId}/messages?limit=100`);
      return status === 200 && body.items.some((one: Json) => one.providerMsgId === `${customer}:${number}`);
    });
    return sessionId;
  }

  async function open(channel: Json): Promise<string> {
    const sessionId = await writes(channel, unique('customer'), 1, { at: Date.now() });
    await stage.chats.replied(sessionId);
    await stage.chats.settled(sessionId);
    await stage.chats.pause(sessionId);
    await eventually(async () =>
      (await stage.chats.replies(sessionId)).every(({ status }) => status === 'sent'),
    );
    stage.sending.parts.length = 0;
    return sessionId;
  }

  /** As time does. */
  const close = (sessionId: string) =>
    stage.service.context.db.transaction((tx) =>
      tx.query(
        sql`update sessions set window_closes_at = ${Date.now() - 1_000} where session_id = ${sessionId}`,
      ),
    );

  it('closes 24 hours after the customer’s last message by the provider’s clock, and never earlier', async () => {
    const channel = await connected();
    const at = Date.now() - 60_000;
    const customer = unique('customer');
    const sessionId = await writes(channel, customer, 2, { at });
    const closes = async () => (await session(sessionId)).windowClosesAt;
    assert.equal(await closes(), at + day);
    await writes(channel, customer, 1, { at: at - 5_000 });
    assert.equal(await closes(), at + day, 'a late message');
    await writes(channel, customer, 3, { at: at + 9_000, isEcho: true });
    assert.equal(await closes(), at + day, 'an echo');
    const kept = {
      customer: messageOf(customer, 2).customer,
      providerMsgId: `${customer}:2`,
      at: at + 9_000,
    };
    await deliver(channel, [
      { type: 'edited', key: `${customer}:e`, text: 'edited', ...kept },
      { type: 'reaction', key: `${customer}:r`, emoji: '👍', ...kept },
    ]);
    await eventually(async () => {
      const [found] = (await stage.chats.messages(sessionId)).filter((one) => one.content === 'edited');
      return found?.reactions.length === 1;
    });
    assert.equal(await closes(), at + day, 'an edit and a reaction');
    const notice = { type: 'notice', key: `${customer}:n`, text: 'The security code changed', ...kept };
    await deliver(channel, [notice]);
    await eventually(async () =>
      (await stage.chats.messages(sessionId)).some(
        ({ role, content }) => role === 'system' && content === notice.text,
      ),
    );
    assert.equal(await closes(), at + day, 'a notice of the provider');
    await writes(channel, customer, 4, { at: at + 10_000 });
    assert.equal(await closes(), at + 10_000 + day);
    assert.equal((await session(sessionId)).personWindowClosesAt, at + 10_000 + day);
    const body = { sessionId, fromChannelIdentifier: channel.identifier, channelType: 'chatbot' };
    await stage.chats.accepted({ ...body, content: 'by the API' });
    assert.ok((await closes()) > at + 10_000 + day, 'a message by the API');
  });

  it('is null on other kinds, and without a connector', async () => {
    stage.use(sendingProvider());
    const channel = await connected();
    const sessionId = await writes(channel, unique('customer'), 1);
    const { windowClosesAt, personWindowClosesAt } = await session(sessionId);
    assert.deepEqual([windowClosesAt, personWindowClosesAt], [null, null]);
    stage.use(windowed());
    const limited = await connected();
    const other = await writes(limited, unique('customer'), 1, { at: Date.now() });
    const path = `/channels/${limited.id}`;
    await stage.chats.expect(200, stage.service.call('PATCH', path, { body: { connector: null } }));
    assert.equal((await session(other)).windowClosesAt, null);
    await say(limited, other, 'free again');
  });

  it('409 WINDOW_CLOSED for free text and for the release of a held reply; the AI’s reply is held', async () => {
    const channel = await connected();
    const customer = unique('customer');
    const sessionId = await writes(channel, customer, 1, { at: Date.now() - day });
    const [reply] = await stage.chats.replied(sessionId);
    assert.equal(reply!.held, true);
    assert.match(reply!.statusReason, /template/);
    assert.equal((await session(sessionId)).needsAttention, true);
    const [entry] = await stage.chats.replyLog(sessionId);
    assert.deepEqual([entry!.outcome, entry!.reason], ['held', 'the window is closed']);
    const refused = async (answer: Promise<{ status: number; body: Json }>) => {
      const { status, body } = await answer;
      assert.deepEqual([status, body.code], [409, 'WINDOW_CLOSED']);
    };
    const releasing = () =>
      stage.service.call('POST', `/sessions/${sessionId}/messages/${reply!.id}/release`, { body: {} });
    await refused(stage.chats.operatorSays(channel.id, sessionId, { content: 'late' }));
    await refused(releasing());
    const start = { externalUserId: unique('new'), content: 'Hello' };
    await refused(stage.service.call('POST', `/channels/${channel.id}/sessions`, { body: start }));
    await stage.chats.pause(sessionId);
    await writes(channel, customer, 2, { at: Date.now() });
    const released = await stage.chats.expect(200, releasing());
    assert.deepEqual([released.held, released.statusReason], [false, null]);
    const id = await say(channel, sessionId, 'in time');
    await reaches(sessionId, id, 'sent');
    assert.deepEqual(stage.sending.texts(), [reply!.content, 'in time']);
    assert.deepEqual(
      stage.sending.parts.map(({ isByPerson }) => isByPerson),
      [undefined, true],
    );
  });

  it('is not opened by a template in the body of another route', async () => {
    const channel = await connected();
    const sessionId = await open(channel);
    await close(sessionId);
    const template = { name: 'no such', language: 'xx', parameters: ['made up'] };
    const body = { content: 'late', template };
    const starts = [{ sessionId }, { externalUserId: unique('new') }];
    for (const answer of [
      await stage.chats.operatorSays(channel.id, sessionId, body),
      ...(await Promise.all(
        starts.map((whom) =>
          stage.service.call('POST', `/channels/${channel.id}/sessions`, { body: { ...whom, ...body } }),
        ),
      )),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [409, 'WINDOW_CLOSED']);
    }
    const sendAt = Date.now() + 3_600_000;
    const later = await stage.chats.operatorSays(channel.id, sessionId, { ...body, sendAt });
    assert.equal(later.status, 201);
    const { db } = stage.service.context;
    const stored = await db.query(
      sql`select template from scheduled_messages where session_id = ${sessionId}`,
    );
    assert.deepEqual(stored, [{ template: null }]);
    await writes(channel, sessionId.split(':')[1]!, 2, { at: Date.now() });
    const reply = await stage.chats.operatorSays(channel.id, sessionId, body);
    assert.equal(reply.status, 201);
    await reaches(sessionId, reply.body.message.id, 'sent');
    const data = await db.query(sql`select data from messages where id = ${reply.body.message.id}`);
    assert.doesNotMatch(JSON.stringify(data), /made up/);
  });

  it('sends nothing that was queued before it closed, but templates', async () => {
    const channel = await connected();
    const sessionId = await open(channel);
    const connector = `/channels/${channel.id}/connector`;
    await eventually(async () => {
      const { body } = await stage.service.call('GET', `/channels/${channel.id}/templates`);
      return body.items.length > 0;
    });
    await stage.chats.expect(200, stage.service.call('POST', `${connector}/disconnect`));
    const id = await say(channel, sessionId, 'queued');
    const template = { name: 'greet', language: 'en', parameters: ['Ada'] };
    const greeting = await stage.chats.expect(
      201,
      stage.service.call('POST', `/sessions/${sessionId}/template`, { body: template }),
    );
    await close(sessionId);
    await stage.chats.expect(200, stage.service.call('POST', `${connector}/connect`));
    const { statusReason } = await reaches(sessionId, id, 'failed');
    assert.match(statusReason, /template/);
    assert.equal((await session(sessionId)).needsAttention, true);
    await reaches(sessionId, greeting.message.id, 'sent');
    assert.deepEqual(stage.sending.texts(), ['Hi Ada']);
  });

  it('is that of agents for a rule, whose replies are by no person; its templates are sent later, too', async () => {
    stage.use(windowed({ personWindowMs: 7 * day }));
    const channel = await connected();
    const sessionId = await open(channel);
    await eventually(async () => {
      const { body } = await stage.service.call('GET', `/channels/${channel.id}/templates`);
      return body.items.length > 0;
    });
    const { db, clock, accountConfig, providers } = stage.service.context;
    const { accountId } = stage.service.admin;
    const actor = { kind: 'rule', accountId, id: newId(), name: 'Remind' } as const;
    const perform = (step: Step) =>
      db.transaction((tx) => {
        const input = { actor, now: clock.now(), visible: null, accountConfig, providers };
        return withScene(tx, input, { sessionId }, (scene) => performStep(tx, scene, step));
      });
    assert.equal((await perform({ type: 'reply', text: 'in time', pauseAi: false })).state, 'done');
    await eventually(() => stage.sending.texts().length === 1);
    await close(sessionId);
    const late = await perform({ type: 'reply', text: 'late', pauseAi: false });
    assert.deepEqual([late.state, late.problem?.kind], ['skipped', 'window']);
    assert.match(late.reason!, /Send a template instead/);
    const greet: Step = {
      type: 'send_template',
      name: 'greet',
      language: 'en',
      parameters: ['{{customer}}'],
    };
    assert.equal((await perform({ ...greet, language: 'pt' })).state, 'failed');
    const sent = await perform(greet);
    assert.equal(sent.state, 'done');
    const { content, author } = await reaches(sessionId, sent.effects[0]!.id, 'sent');
    assert.deepEqual(author, { type: 'rule', id: actor.id, name: actor.name });
    assert.deepEqual(stage.sending.texts(), ['in time', content]);
    assert.deepEqual(
      stage.sending.parts.map(({ isByPerson }) => isByPerson),
      [undefined, undefined],
    );
  });

  it('stores a reaction after it, and does not send it', async () => {
    const channel = await connected();
    const sessionId = await open(channel);
    const [first] = await stage.chats.messages(sessionId);
    await close(sessionId);
    const path = `/sessions/${sessionId}/messages/${first!.id}/reactions`;
    const body = { action: 'add', emoji: '👍' };
    await stage.chats.expect(200, stage.service.call('POST', path, { body }));
    await eventually(async () => {
      const { items } = (await stage.service.call('GET', `/channels/${channel.id}/connector/log`)).body;
      return items.some((one: Json) => one.direction === 'out' && one.state === 'failed');
    });
    assert.deepEqual((await message(sessionId, first!.id)).reactions, ['👍']);
    assert.deepEqual(
      stage.sending.others.filter((one) => one.startsWith('react')),
      [],
    );
  });

  it('is longer for people where the provider says so', async () => {
    stage.use(windowed({ personWindowMs: 7 * day }));
    stage.sending.provider.templates = undefined;
    const channel = await connected();
    const at = Date.now() - 2 * day;
    const sessionId = await writes(channel, unique('customer'), 1, { at });
    const [reply] = await stage.chats.replied(sessionId);
    assert.equal(reply!.held, true);
    assert.match(reply!.statusReason, /has ended.*Wait until the customer writes/, 'there are no templates');
    const { windowClosesAt, personWindowClosesAt } = await session(sessionId);
    assert.deepEqual([windowClosesAt, personWindowClosesAt], [at + day, at + 7 * day]);
    await reaches(sessionId, await say(channel, sessionId, 'by a person'), 'sent');
    assert.deepEqual(stage.sending.texts(), ['by a person']);
  });
});
