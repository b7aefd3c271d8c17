import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { sendingProvider } from '../../../../test/support/providers/sending-provider.ts';
import { sendingStage } from '../../../../test/support/providers/sending-stage.ts';
import { png } from '../../../../test/support/sample-files.ts';
import type { Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

const hour = 3_600_000;
const stage = sendingStage();
const { connected, conversation, reaches } = stage;

describe('messages that are sent later', () => {
  beforeEach(() => {
    stage.use(sendingProvider({ windowMs: 24 * hour }));
    const one = { name: 'greet', language: 'en', category: 'UTILITY', status: 'APPROVED', text: 'Hi {{1}}' };
    stage.sending.provider.templates = async () => [{ ...one, parameterCount: 1 }];
  });
  const call: typeof stage.service.call = (...given) => stage.service.call(...given);
  const query = (statement: ReturnType<typeof sql>) =>
    stage.service.context.db.transaction((tx) => tx.query(statement));

  const later = async (channel: Json, sessionId: string, body: object): Promise<Json> => {
    const sendAt = Date.now() + hour;
    const {
      status,
      body: answer,
      text,
    } = await stage.chats.operatorSays(channel.id, sessionId, { sendAt, ...body });
    assert.equal(status, 201, text);
    return answer.scheduledMessage;
  };
  const at = (sessionId: string, id = '') => `/sessions/${sessionId}/scheduled-messages${id && `/${id}`}`;
  const listed = async (sessionId: string): Promise<string[]> =>
    (await stage.chats.expect(200, call('GET', at(sessionId)))).items.map((one: Json) => one.content);
  /** Its time comes. */
  const due = (id: string) => query(sql`update scheduled_messages set send_at = 1 where id = ${id}`);
  const said = async (sessionId: string, content: string): Promise<Json> => {
    let found: Json;
    await eventually(async () => {
      found = (await stage.chats.messages(sessionId)).find((one) => one.content === content);
      return found !== undefined;
    });
    return found;
  };
  const writes = (channel: Json, sessionId: string, more = {}) =>
    stage.chats.send({
      fromChannelIdentifier: channel.identifier,
      channelType: 'chatbot',
      externalUserId: sessionId.replace('telegram:', ''),
      sessionId,
      ...more,
    });

  it('are listed in their order, changed, cancelled, and sent once with their files', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    await writes(channel, sessionId, { content: 'unread' });
    const { unread } = await stage.chats.session(sessionId);
    const file = await (await filesOf(stage.service)).upload('image/png', png(20, 20), 'a.png');
    const sendAt = Date.now() + 2 * hour;
    const first = await later(channel, sessionId, { content: 'first', sendAt, attachments: [file] });
    const { id, author, createdAt, updatedAt } = first;
    assert.deepEqual(first, {
      id,
      sessionId,
      sendAt,
      content: 'first',
      attachments: [file],
      template: null,
      mail: null,
      replyToMessageId: null,
      cancelOnReply: false,
      pauseAi: false,
      author,
      scheduledBy: null,
      createdAt,
      updatedAt,
    });
    assert.equal((await call('GET', `/attachments/${file.fileKey}`)).status, 200);
    const second = await later(channel, sessionId, { content: 'second' });
    await later(channel, sessionId, { content: 'third', sendAt: sendAt + 1 });
    assert.deepEqual(await listed(sessionId), ['second', 'first', 'third']);
    const page = await call('GET', `${at(sessionId)}?limit=2`);
    const rest = await call('GET', `${at(sessionId)}?limit=2&nextToken=${page.body.nextToken}`);
    assert.deepEqual([rest.body.items[0].content, rest.body.nextToken], ['third', null]);
    await stage.chats.expect(200, call('DELETE', at(sessionId, second.id)));
    const changed = await call('PATCH', at(sessionId, id), {
      body: { content: 'changed', cancelOnReply: true },
    });
    assert.deepEqual([changed.body.content, changed.body.cancelOnReply], ['changed', true]);
    assert.deepEqual(await listed(sessionId), ['changed', 'third']);
    assert.equal((await call('DELETE', at(sessionId, second.id))).status, 404);
    // Of another conversation, which may be on a board that the caller does not see.
    const other = await conversation(channel);
    const elsewhere = at(other.sessionId, id);
    assert.equal((await call('PATCH', elsewhere, { body: { content: 'x' } })).status, 404);
    assert.equal((await call('DELETE', elsewhere)).status, 404);
    await due(id);
    const message = await said(sessionId, 'changed');
    await reaches(sessionId, message.id, 'sent');
    assert.deepEqual([message.role, message.operator, message.attachments], ['operator', author, [file]]);
    assert.deepEqual(await listed(sessionId), ['third']);
    assert.equal((await call('PATCH', at(sessionId, id), { body: { content: 'late' } })).status, 404);
    assert.equal((await stage.chats.session(sessionId)).unread, unread, 'nobody has read it for that');
    assert.deepEqual(stage.sending.texts(), ['changed']);
    const audited = await query(
      sql`select action from audit_log where action like 'scheduled_message.%' and target_id = ${sessionId}`,
    );
    const verbs = ['created', 'created', 'created', 'cancelled', 'updated'];
    assert.deepEqual(
      audited.map(({ action }: Json) => action).sort(),
      verbs.map((verb) => `scheduled_message.${verb}`).sort(),
    );
  });

  it('400 for a time in the past or more than a year ahead, and for what cannot wait', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const now = Date.now();
    const wrong: [object, RegExp][] = [
      [{ sendAt: now - 1_000 }, /sendAt must be in the future/],
      [{ sendAt: now + 367 * 24 * hour }, /sendAt must be at most a year ahead/],
      [{ sendAt: 'soon' }, /sendAt/],
      [{ sendAt: now + hour, isNote: true }, /sendAt is only supported on replies/],
      [{ cancelOnReply: true }, /cancelOnReply needs sendAt/],
      [{ sendAt: now + hour, content: ' ' }, /content or attachments required/],
      [{ sendAt: now + hour, replyToMessageId: 'none' }, /replyToMessageId/],
    ];
    for (const [body, expected] of wrong) {
      const { status, text } = await stage.chats.operatorSays(channel.id, sessionId, {
        content: 'x',
        ...body,
      });
      assert.equal(status, 400, text);
      assert.match(text, expected);
    }
    const { id } = await later(channel, sessionId, { content: 'x' });
    for (const body of [{ sendAt: now }, { content: '' }, { sendAt: now + 367 * 24 * hour }]) {
      assert.equal((await call('PATCH', at(sessionId, id), { body })).status, 400);
    }
    assert.deepEqual(await listed(sessionId), ['x']);
    assert.equal((await call('GET', at('none'))).status, 404);
  });

  it('are cancelled by the customer’s message if they say so, by nothing else', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    await later(channel, sessionId, { content: 'stays' });
    const one = await later(channel, sessionId, { content: 'goes', cancelOnReply: true });
    await writes(channel, sessionId, { content: 'by the phone', isEcho: true });
    assert.deepEqual((await listed(sessionId)).sort(), ['goes', 'stays']);
    assert.equal((await writes(channel, sessionId, { content: 'Hello' })).status, 202);
    assert.deepEqual(await listed(sessionId), ['stays']);
    assert.equal((await call('PATCH', at(sessionId, one.id), { body: { content: 'x' } })).status, 404);
    await later(channel, sessionId, { content: 'goes too', cancelOnReply: true });
    assert.equal((await writes(channel, sessionId, { content: 'Hello' })).status, 202);
    assert.deepEqual(await listed(sessionId), ['stays']);
    const lines = (await stage.chats.messages(sessionId)).filter(({ role }) => role === 'system');
    const line = 'Scheduled message cancelled: the customer wrote first.';
    assert.deepEqual(
      lines.map(({ content }) => content),
      [`${line}\ngoes`, `${line}\ngoes too`],
    );
    assert.deepEqual(
      stage.sending.parts.filter(({ text }) => text?.includes('goes')),
      [],
    );
  });

  it('take the conversation over when they are sent, and go as templates after the window', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    await eventually(
      async () => (await call('GET', `/channels/${channel.id}/templates`)).body.items.length === 1,
    );
    await stage.chats.pause(sessionId, false);
    const key = { 'idempotency-key': unique('key') };
    const body = {
      name: 'greet',
      language: 'en',
      parameters: ['Ada'],
      sendAt: Date.now() + hour,
      pauseAi: true,
    };
    const path = `/sessions/${sessionId}/template`;
    const first = await call('POST', path, { body, headers: key });
    assert.equal(first.status, 201, first.text);
    assert.deepEqual((await call('POST', path, { body, headers: key })).body, first.body);
    const { scheduledMessage } = first.body;
    assert.deepEqual(
      [scheduledMessage.content, scheduledMessage.template],
      ['Hi Ada', { name: 'greet', language: 'en', parameters: ['Ada'] }],
    );
    assert.equal(
      (await call('PATCH', at(sessionId, scheduledMessage.id), { body: { content: 'x' } })).status,
      400,
    );
    assert.equal((await stage.chats.session(sessionId)).aiPaused, false);
    await query(sql`update sessions set window_closes_at = 1 where session_id = ${sessionId}`);
    await due(scheduledMessage.id);
    const { id } = await said(sessionId, 'Hi Ada');
    await reaches(sessionId, id, 'sent');
    assert.equal((await stage.chats.session(sessionId)).aiPaused, true);
    assert.deepEqual(
      stage.sending.parts.map(({ template }) => template),
      [scheduledMessage.template],
    );
  });

  it('that cannot be sent fail in the conversation, which needs attention, and their author is notified', async () => {
    const operator = await stage.service.createUser('admin');
    const reasons: [RegExp, (channel: Json, sessionId: string) => Promise<unknown>][] = [
      [/blocked/, (_, sessionId) => call('POST', `/blocked-contacts/${sessionId.replace('telegram:', '')}`)],
      [/disabled/, ({ id }) => call('PATCH', `/channels/${id}`, { body: { enabled: false } })],
      [
        /template/,
        (_, sessionId) =>
          query(sql`update sessions set window_closes_at = 1 where session_id = ${sessionId}`),
      ],
    ];
    for (const [expected, prevent] of reasons) {
      const channel = await connected();
      const { sessionId } = await conversation(channel);
      const body = { content: 'too late', sendAt: Date.now() + hour };
      const path = `/channels/${channel.id}/sessions/${sessionId}/agent-messages`;
      const { status, body: answer } = await call('POST', path, { body, token: operator.jwt });
      assert.equal(status, 201);
      await prevent(channel, sessionId);
      await due(answer.scheduledMessage.id);
      const { status: state, statusReason } = await said(sessionId, 'too late');
      assert.equal(state, 'failed');
      assert.match(statusReason, expected);
      assert.equal((await stage.chats.session(sessionId)).needsAttention, true);
      await eventually(async () => {
        const { items } = (await call('GET', '/notifications', { token: operator.jwt })).body;
        return items.some((one: Json) => one.sessionId === sessionId && /scheduled message/.test(one.body));
      });
    }
    assert.deepEqual(stage.sending.texts(), []);
  });

  it('are sent in the name of whoever changed them last, and both are shown', async () => {
    const [ada, bob] = [
      await stage.service.createUser('operator'),
      await stage.service.createUser('operator'),
    ];
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const path = `/channels/${channel.id}/sessions/${sessionId}/agent-messages`;
    const body = { content: 'Written by Ada', sendAt: Date.now() + hour };
    const { scheduledMessage: made } = await stage.chats.expect(
      201,
      call('POST', path, { body, token: ada.jwt }),
    );
    assert.deepEqual([made.author.id, made.scheduledBy], [ada.id, null]);
    const edit = (token: string, change: object) =>
      stage.chats.expect(200, call('PATCH', at(sessionId, made.id), { body: change, token }));
    assert.equal((await edit(ada.jwt, { content: 'Still by Ada' })).scheduledBy, null);
    const changed = await edit(bob.jwt, { content: 'Written by Bob' });
    assert.deepEqual([changed.author.id, changed.scheduledBy], [bob.id, made.author]);
    const { items } = await stage.chats.expect(200, call('GET', `/sessions/${sessionId}/scheduled-messages`));
    assert.deepEqual([items[0].author.id, items[0].scheduledBy.id], [bob.id, ada.id]);
    const back = await edit(ada.jwt, { cancelOnReply: true });
    assert.deepEqual([back.author.id, back.scheduledBy], [ada.id, null]);
    await edit(bob.jwt, { content: 'By Bob after all' });
    await due(made.id);
    assert.equal((await said(sessionId, 'By Bob after all')).operator.id, bob.id);
  });

  it('fail if their author may not reply any more, and are sent if the author is no longer a user', async () => {
    const admin = { token: stage.service.admin.jwt };
    const author = await stage.service.createUser('operator');
    const leaver = await stage.service.createUser('operator');
    const { id: tokenId, token } = await stage.service.createToken(admin.token);
    const owner = { body: { userId: author.id } };
    await stage.chats.expect(200, call('POST', `/api-tokens/${tokenId}/transfer`, { ...owner, ...admin }));
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const path = `/channels/${channel.id}/sessions/${sessionId}/agent-messages`;
    const plan = async (content: string, by: string): Promise<string> => {
      const body = { content, sendAt: Date.now() + hour };
      const { scheduledMessage } = await stage.chats.expect(201, call('POST', path, { body, token: by }));
      return scheduledMessage.id;
    };
    const ids = [
      await plan('of the author', author.jwt),
      await plan('of their token', token),
      await plan('of somebody who left', leaver.jwt),
    ];
    const body = { name: unique('Reads'), permissions: ['conversations.view'] };
    const role = await stage.chats.expect(201, call('POST', '/roles', { body, ...admin }));
    const change = { body: { roleId: role.id }, ...admin };
    await stage.chats.expect(200, call('PATCH', `/users/${author.id}`, change));
    await stage.chats.expect(200, call('DELETE', `/users/${leaver.id}`, admin));
    for (const id of ids) await due(id);
    for (const content of ['of the author', 'of their token']) {
      const { status, statusReason } = await said(sessionId, content);
      assert.equal(status, 'failed');
      assert.match(statusReason, /not allowed to reply any more/);
    }
    await reaches(sessionId, (await said(sessionId, 'of somebody who left')).id, 'sent');
    assert.deepEqual(stage.sending.texts(), ['of somebody who left']);
  });

  it('fail if the board was closed to their author, and stay in the conversation with that reason', async () => {
    const admin = { token: stage.service.admin.jwt };
    const author = await stage.service.createUser('operator');
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const { kanbanId } = await stage.chats.session(sessionId);
    const path = `/channels/${channel.id}/sessions/${sessionId}/agent-messages`;
    const body = { content: 'from behind a closed door', sendAt: Date.now() + hour };
    const { scheduledMessage } = await stage.chats.expect(
      201,
      call('POST', path, { body, token: author.jwt }),
    );
    const members = (isRestricted: boolean) =>
      call('PUT', `/kanbans/${kanbanId}/members`, {
        ...admin,
        body: { userIds: isRestricted ? [stage.service.admin.userId] : [] },
      });
    await stage.chats.expect(200, members(true));
    await due(scheduledMessage.id);
    const { status, statusReason } = await said(sessionId, body.content);
    assert.equal(status, 'failed');
    assert.match(statusReason, /could not see the board any more/);
    assert.deepEqual(stage.sending.texts(), []);
    await stage.chats.expect(200, members(false));
  });

  it('that fail notify an author who owns the conversation once, also if they waited for it anyway', async () => {
    const operator = await stage.service.createUser('admin');
    const channel = await connected();
    for (const isPaused of [true, false]) {
      const { sessionId } = await conversation(channel);
      if (!isPaused) await stage.chats.pause(sessionId, false);
      const owned = await call('PATCH', `/sessions/${sessionId}`, { body: { assignedUserId: operator.id } });
      assert.equal(owned.status, 200, owned.text);
      const body = { content: 'too late', sendAt: Date.now() + hour };
      const path = `/channels/${channel.id}/sessions/${sessionId}/agent-messages`;
      const { body: answer } = await call('POST', path, { body, token: operator.jwt });
      await query(sql`update sessions set window_closes_at = 1 where session_id = ${sessionId}`);
      await due(answer.scheduledMessage.id);
      let news: Json[] = [];
      await eventually(async () => {
        const { items } = (await call('GET', '/notifications', { token: operator.jwt })).body;
        // The customer's own message may be notified before or after the conversation has its owner.
        news = items.filter(
          (one: Json) => one.sessionId === sessionId && !['assigned', 'message'].includes(one.kind),
        );
        return news.length > 0;
      });
      assert.deepEqual(
        news.map(({ kind, count }) => [kind, count]),
        [['attention', 1]],
      );
      assert.match(news[0].body, /scheduled message/);
    }
  });

  it('follow the clock of the database, whatever the process thinks', async (t) => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    await later(channel, sessionId, { content: 'in an hour' });
    const { id } = await later(channel, sessionId, { content: 'now' });
    const { clock } = stage.service.context;
    const { now } = clock;
    t.mock.method(clock, 'now', () => now() + 3 * hour);
    await due(id);
    await said(sessionId, 'now');
    // Both would have been found together.
    assert.deepEqual(await listed(sessionId), ['in an hour']);
  });
});
