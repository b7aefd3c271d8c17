import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { assertEventBody } from '../../../test/support/event-schema.ts';
import { filesOf } from '../../../test/support/files.ts';
import {
  type CallOptions,
  type Json,
  joinTestService,
  type TestService,
} from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('an operator starts a conversation', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let channel: Json;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    channel = await talk.channel({ type: 'sms', webhookUrl: 'https://example.com/hook' });
  });
  after(() => service.close());

  let phones = 0;
  const phone = () => `+44 20 7946 ${String(1000 + ++phones)}`;
  const start = (body: object, options: CallOptions = {}, channelId = channel.id) =>
    call('POST', `/channels/${channelId}/sessions`, { body: { content: 'Hello', ...body }, ...options });
  const started = (body: object) => talk.expect(201, start(body));

  it('201 a new session with its card, its message and their events, in this order', async () => {
    const externalUserId = phone();
    const answer = await started({ externalUserId, sessionName: 'Ada', pauseAi: true });
    const { sessionId, isNewSession, message } = answer;
    assert.deepEqual(Object.keys(answer).sort(), ['isNewSession', 'message', 'sessionId']);
    assert.deepEqual(Object.keys(message).sort(), [
      'attachments',
      'clientId',
      'content',
      'id',
      'role',
      'timestamp',
    ]);
    assert.deepEqual([isNewSession, message.role, message.content], [true, 'operator', 'Hello']);

    const session = await talk.session(sessionId);
    assert.deepEqual(
      [session.sessionName, session.externalUserId, session.aiPaused, session.unread, session.status],
      ['Ada', externalUserId, true, 0, 'open'],
    );
    const record = await talk.expect(200, call('GET', `/crm/records/${session.recordId}`));
    assert.deepEqual([record.title, record.channelId], ['Ada', channel.id]);
    assert.ok(Object.values(record.customFields).includes(externalUserId), 'the bound field is filled');

    const events = await talk.events(sessionId);
    assert.deepEqual(
      events.map(({ event, sequence }) => [event, sequence]),
      [
        ['ai_pause', 1],
        ['message_created', 2],
      ],
    );
    for (const event of events) assertEventBody(event);
    assert.deepEqual([events[1].direction, events[1].externalUserId], ['outgoing', externalUserId]);
    assert.equal((await talk.events(session.recordId))[0].event, 'crm_record_created');
    assert.equal(await talk.count(sql`ai_pauses where session_id = ${sessionId} and paused`), 1);
    assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 0);
  });

  it('returns the id that the client gave its message', async () => {
    const clientId = randomUUID();
    const { sessionId, message } = await started({ externalUserId: phone(), clientId });
    assert.equal(message.clientId, clientId);
    const again = await started({ sessionId, clientId });
    assert.equal(again.message.clientId, clientId);
    assert.deepEqual(
      (await talk.messages(sessionId)).map((one) => one.clientId),
      [clientId, clientId],
    );
    assert.equal((await start({ externalUserId: phone(), clientId: 'not mine' })).status, 400);
  });

  it('ignores fields of a reply that its schema does not have, whatever they hold', async () => {
    for (const more of [{ mail: { cc: 5 } }, { mail: 7 }, { replyToMessageId: {} }]) {
      const { sessionId } = await started({ externalUserId: phone(), ...more });
      await started({ sessionId, ...more });
    }
  });

  it('who takes over with the first message owns the conversation', async () => {
    const user = await service.createUser('operator');
    const answer = await talk.expect(
      201,
      start({ externalUserId: phone(), pauseAi: true }, { token: user.jwt }),
    );
    assert.equal((await talk.session(answer.sessionId)).assignedUserId, user.id);
    const events = (await talk.events(answer.sessionId)).map(({ event }) => event);
    assert.deepEqual(events, ['session_updated', 'ai_pause', 'message_created']);
  });

  it('without pauseAi the AI answers what the customer writes', async () => {
    const { sessionId } = await started({ externalUserId: phone() });
    const way = { fromChannelIdentifier: channel.identifier, channelType: channel.type };
    await talk.accepted({ sessionId, ...way });
    assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 1);
    assert.deepEqual(
      (await talk.messages(sessionId)).map(({ role }) => role),
      ['operator', 'user'],
    );
  });

  it('continues the latest conversation of the customer on the channel, in any notation, and opens it again', async () => {
    const externalUserId = phone();
    const first = await started({ externalUserId, sessionName: 'Ada' });
    await talk.expect(200, call('PATCH', `/sessions/${first.sessionId}`, { body: { status: 'resolved' } }));
    const board = await talk.kanban();
    const again = await started({
      externalUserId: `${externalUserId.replace(/\D/g, '')}@c.us`,
      sessionName: 'Grace',
      kanbanId: board.id,
      pauseAi: true,
    });
    assert.deepEqual([again.sessionId, again.isNewSession], [first.sessionId, false]);
    const session = await talk.session(first.sessionId);
    assert.deepEqual([session.status, session.aiPaused, session.sessionName], ['open', true, 'Ada']);
    assert.notEqual(session.kanbanId, board.id, 'it stays on its board');
    const names = (await talk.events(first.sessionId)).map(({ event }) => event);
    assert.deepEqual(names, [
      'message_created',
      'session_updated',
      'ai_pause',
      'session_updated',
      'message_created',
    ]);
    const other = await talk.channel({ type: 'sms' });
    assert.equal((await talk.expect(201, start({ externalUserId }, {}, other.id))).isNewSession, true);
    const byId = await started({ sessionId: first.sessionId });
    assert.equal(byId.isNewSession, false);
    assert.equal((await start({ sessionId: first.sessionId }, {}, other.id)).status, 409);
  });

  it('many starts at once with one customer: one conversation', async () => {
    const externalUserId = phone();
    const answers = await Promise.all(Array.from({ length: 8 }, () => started({ externalUserId })));
    assert.equal(new Set(answers.map(({ sessionId }) => sessionId)).size, 1);
    assert.equal(answers.filter(({ isNewSession }) => isNewSession).length, 1);
    assert.equal((await talk.messages(answers[0].sessionId)).length, 8);
  });

  it('the same Idempotency-Key starts once', async () => {
    const options = { headers: { 'idempotency-key': unique('start') } };
    const body = { externalUserId: phone() };
    const [one, two] = [await start(body, options), await start(body, options)];
    assert.deepEqual([one.status, two.body], [201, one.body]);
    assert.equal((await talk.messages(one.body.sessionId)).length, 1);
  });

  it('with recordId the card is that one, on its board; no card is created', async () => {
    const board = await talk.kanban();
    const { recordId } = await talk.expect(
      201,
      call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title: 'Ada' } }),
    );
    const { sessionId } = await started({ externalUserId: phone(), recordId });
    const session = await talk.session(sessionId);
    assert.deepEqual([session.recordId, session.kanbanId], [recordId, board.id]);
    const { items } = await talk.expect(200, call('GET', `/crm/records?kanbanId=${board.id}`));
    assert.equal(items.length, 1);
    const wrong = await start({ externalUserId: phone(), recordId, kanbanId: (await talk.kanban()).id });
    assert.deepEqual([wrong.status, wrong.body.message], [400, 'kanbanId must be the board of recordId']);
    const other = await service.createAccount();
    const theirs = await talk.expect(
      201,
      call('POST', '/crm/records', { body: { title: 'x' }, token: other.token }),
    );
    for (const id of [theirs.recordId, 'nothing']) {
      assert.equal((await start({ externalUserId: phone(), recordId: id })).status, 404);
    }
  });

  it('files are sent with it', async () => {
    const files = await filesOf(service);
    const attachments = [await files.upload('text/plain', Buffer.from('Offer'), 'offer.txt')];
    const { message } = await talk.expect(
      201,
      start({ externalUserId: phone(), content: undefined, attachments }),
    );
    assert.deepEqual(message.attachments, attachments);
  });

  it('400 names what is missing; 404 for an unknown channel, agent or board; 409 for a web chat', async () => {
    for (const [body, message] of [
      [{}, 'externalUserId or sessionId is required'],
      [{ externalUserId: ' ' }, 'externalUserId must not be blank'],
      [{ externalUserId: '1', content: ' ' }, 'content or attachments required'],
    ] as const) {
      const { status, body: answer } = await start(body);
      assert.deepEqual([status, answer.message], [400, message]);
    }
    const other = await service.createAccount();
    const body = { externalUserId: phone() };
    for (const id of ['nothing', crypto.randomUUID()]) assert.equal((await start(body, {}, id)).status, 404);
    assert.equal((await start(body, { token: other.token })).status, 404, 'another account’s channel');
    assert.equal((await start({ ...body, agentId: crypto.randomUUID() })).status, 404);
    assert.equal((await start({ ...body, kanbanId: crypto.randomUUID() })).status, 404);
    const agent = await talk.agent();
    assert.equal((await start({ ...body, agentId: agent.id })).body.code, 'AGENT_NOT_ALLOWED');
    const web = await talk.channel({ type: 'web' });
    const refused = await start(body, {}, web.id);
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /web chat/);
    assert.equal(await talk.count(sql`sessions where external_user_id = ${body.externalUserId}`), 0);
  });

  it('403 CONTACT_BLOCKED for a blocked customer, counted on the list; nothing is stored', async () => {
    const externalUserId = phone();
    const path = `/blocked-contacts/${encodeURIComponent(externalUserId)}`;
    await talk.expect(201, call('POST', path));
    const { status, body } = await start({ externalUserId });
    assert.deepEqual([status, body.error.code], [403, 'CONTACT_BLOCKED']);
    assert.equal(await talk.count(sql`sessions where external_user_id = ${externalUserId}`), 0);
    const { items } = await talk.expect(200, call('GET', '/blocked-contacts'));
    assert.equal(items.find((one: Json) => one.identifierValue === externalUserId).droppedCount, 1);
  });

  it('an operator starts only on boards that are open to them', async () => {
    const operator = await service.createUser('operator');
    const board = await talk.kanban();
    const members = { body: { userIds: [service.admin.userId] } };
    await talk.expect(200, call('PUT', `/kanbans/${board.id}/members`, members));
    const asOperator = { token: operator.jwt };
    const externalUserId = phone();
    assert.equal((await start({ externalUserId, kanbanId: board.id }, asOperator)).status, 404);
    const hidden = await started({ externalUserId, kanbanId: board.id });
    assert.equal((await start({ sessionId: hidden.sessionId }, asOperator)).status, 404);
    const own = await talk.expect(201, start({ externalUserId }, asOperator));
    assert.equal(own.isNewSession, true, 'a conversation that they may not see is not continued');
    const { agents } = { agents: await talk.expect(200, call('GET', '/agents')) };
    const agentId = agents.items[0].id;
    const closed = await talk.channel({ type: 'sms', agentKanbanConfigs: { [agentId]: board.id } });
    const refused = await start({ externalUserId }, asOperator, closed.id);
    assert.deepEqual([refused.status, refused.body.message.split(':')[0]], [400, 'kanbanId is required']);
  });
});

describe('an operator reacts to a message', () => {
  let service: TestService;
  let talk: Conversations;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
  });
  after(() => service.close());

  it('by its own id: added once, removed, with a limit; a note has none', async () => {
    const sessionId = unique('react');
    const { userMessage } = await talk.accepted({ sessionId });
    const react = (messageId: string, body: object) =>
      service.call('POST', `/sessions/${sessionId}/messages/${messageId}/reactions`, { body });
    const add = (emoji: string) => react(userMessage.id, { action: 'add', emoji });
    const first = await talk.expect(200, add('👍'));
    assert.deepEqual([first.reactions, first.applied], [['👍'], true]);
    assert.equal((await talk.expect(200, add('👍'))).applied, false);
    assert.deepEqual((await talk.messages(sessionId))[0].reactions, ['👍']);
    const removed = await talk.expect(200, react(userMessage.id, { action: 'remove', emoji: '👍' }));
    assert.deepEqual(removed.reactions, []);
    for (let n = 0; n < 20; n++) await talk.expect(200, add(`r${n}`));
    assert.equal((await add('one more')).status, 409);

    const { channelId } = await talk.session(sessionId);
    const note = await talk.expect(
      201,
      talk.operatorSays(channelId, sessionId, { content: 'x', isNote: true }),
    );
    assert.equal((await react(note.messageId, { action: 'add', emoji: '👍' })).status, 400);
    assert.equal((await react('nothing', { action: 'add', emoji: '👍' })).status, 404);
    for (const body of [{ action: 'add' }, { action: 'upsert', emoji: 'x' }, { action: 'add', emoji: ' ' }]) {
      assert.equal((await react(userMessage.id, body)).status, 400);
    }
  });
});
