import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('sessions', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const list = async (query: string, token?: string): Promise<Json> =>
    talk.expect(200, call('GET', `/sessions?${query}`, token ? { token } : {}));
  const idsOf = async (query: string, token?: string) =>
    (await list(query, token)).items.map((one: Json) => one.sessionId);

  it('one session has exactly the fields that are written down', async () => {
    const channel = await talk.channel({ type: 'sms' });
    const sessionId = unique('fields');
    const body = {
      sessionId,
      sessionName: 'Ada',
      externalUserId: '+5511944443333',
      fromChannelIdentifier: channel.identifier,
    };
    const { userMessage } = await talk.accepted({ ...body, channelType: 'sms' });
    const session = await talk.session(sessionId);
    const { contactId, recordId, kanbanId, createdAt, updatedAt, ...rest } = session;
    assert.deepEqual(rest, {
      sessionId,
      sessionName: 'Ada',
      channelId: channel.id,
      channelType: 'sms',
      externalUserId: '+5511944443333',
      agentId: channel.defaultAgentId,
      aiPaused: false,
      needsAttention: false,
      unread: 1,
      status: 'open',
      snoozedUntil: null,
      statusChangedAt: null,
      statusChangedBy: null,
      assignedUserId: null,
      teamId: null,
      windowClosesAt: null,
      personWindowClosesAt: null,
      sla: null,
      labelIds: [],
      customerEmail: null,
      waitingSince: userMessage.timestamp,
      lastMessageAt: userMessage.timestamp,
    });
    assert.ok(contactId && recordId && kanbanId && createdAt && updatedAt);
    assert.deepEqual((await list(`channelId=${channel.id}`)).items, [session]);
  });

  it('updatedAt never goes back: a change that waited for another one has an earlier time', async () => {
    const channel = await talk.channel();
    const sessionId = unique('version');
    const said = { sessionId, fromChannelIdentifier: channel.identifier };
    await talk.accepted(said);
    const later = Date.now() + 60_000;
    await service.context.db.autocommit(
      sql`update sessions set updated_at = ${later} where session_id = ${sessionId}`,
    );
    const changes = [
      () => call('PATCH', `/sessions/${sessionId}`, { body: { sessionName: 'Renamed' } }),
      () =>
        call('POST', '/sessions/bulk', { body: { sessionIds: [sessionId], change: { status: 'resolved' } } }),
      () => talk.accepted(said),
    ];
    for (const change of changes) {
      await change();
      assert.equal((await talk.session(sessionId)).updatedAt, later);
    }
  });

  it('lists by latest activity and by every filter, alone and together', async () => {
    const channel = await talk.channel();
    const other = await talk.agent();
    const kanban = await talk.kanban();
    await call('PATCH', `/channels/${channel.id}`, { body: { allowedAgentIds: [other.id] } });
    const send = (sessionId: string, body: object = {}) =>
      talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier, ...body });
    const [a, b, c] = [unique('list'), unique('list'), unique('list')];
    await send(a, { sessionName: 'Grace Hopper' });
    await send(b, { agentId: other.id, externalUserId: 'Grace@Example.com' });
    await send(c, { kanbanId: kanban.id });
    await talk.pause(b);
    await call('PATCH', `/sessions/${c}`, { body: { needsAttention: true } });
    const mine = `channelId=${channel.id}`;
    assert.deepEqual(await idsOf(mine), [c, b, a]);
    await send(a);
    assert.deepEqual(await idsOf(mine), [a, c, b]);
    assert.deepEqual(await idsOf(`kanbanId=${kanban.id}`), [c]);
    assert.deepEqual(await idsOf(`agentId=${other.id}`), [b]);
    assert.deepEqual(await idsOf(`${mine}&aiPaused=true`), [b]);
    assert.deepEqual(await idsOf(`${mine}&aiPaused=false`), [a, c]);
    assert.deepEqual(await idsOf(`${mine}&needsAttention=true`), [c]);
    assert.deepEqual(await idsOf(`${mine}&q=grace`), [a, b]);
    assert.deepEqual(await idsOf(`${mine}&q=${c.toUpperCase()}`), [c]);
    assert.deepEqual(await idsOf(`${mine}&q=%25`), [], '% is just a character');
    assert.deepEqual(await idsOf(`${mine}&q=grace&aiPaused=true`), [b]);
    for (const query of ['channelId=none', 'kanbanId=none', 'agentId=none'])
      assert.deepEqual(await idsOf(query), []);
  });

  it('pages through everything once; a token is good for its query alone', async () => {
    const channel = await talk.channel();
    const sent: string[] = [];
    for (let n = 0; n < 7; n++) {
      sent.unshift((await talk.accepted({ fromChannelIdentifier: channel.identifier })).sessionId);
    }
    const first = await list(`channelId=${channel.id}&limit=3`);
    const next = (token: string) => `channelId=${channel.id}&limit=3&nextToken=${encodeURIComponent(token)}`;
    const second = await list(next(first.nextToken));
    const third = await list(next(second.nextToken));
    const all = [first, second, third].flatMap((page) => page.items.map((one: Json) => one.sessionId));
    assert.deepEqual(all, sent);
    assert.equal(third.nextToken, null);
    const elsewhere = await call('GET', `/sessions?nextToken=${encodeURIComponent(first.nextToken)}`);
    assert.equal(elsewhere.status, 400);
    assert.equal((await call('GET', '/sessions?limit=0')).status, 400);
  });

  it('messages page both ways, newest first unless asked', async () => {
    const sessionId = unique('paged');
    for (let n = 0; n < 7; n++) await talk.accepted({ sessionId, content: `m${n}` });
    const pages = async (order: string) => {
      const found: string[] = [];
      let token = '';
      do {
        const query = `limit=3${order}${token && `&nextToken=${encodeURIComponent(token)}`}`;
        const page = await talk.expect(200, call('GET', `/sessions/${sessionId}/messages?${query}`));
        found.push(...page.items.map((one: Json) => one.content));
        token = page.nextToken ?? '';
      } while (token);
      return found;
    };
    const ascending = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'];
    assert.deepEqual(await pages('&order=asc'), ascending);
    assert.deepEqual(await pages('&order=desc'), ascending.toReversed());
    assert.deepEqual(await pages(''), ascending.toReversed());
    const page = await talk.expect(200, call('GET', `/sessions/${sessionId}/messages?limit=3`));
    const turned = `order=asc&limit=3&nextToken=${encodeURIComponent(page.nextToken)}`;
    assert.equal((await call('GET', `/sessions/${sessionId}/messages?${turned}`)).status, 400);
    assert.equal((await call('GET', `/sessions/${sessionId}/messages?order=up`)).status, 400);
    const { timestamp, id, ...rest } = page.items[0];
    assert.ok(timestamp && id);
    assert.deepEqual(rest, {
      role: 'user',
      content: 'm6',
      isNote: false,
      isNoteVisibleToAi: false,
      isEcho: false,
      held: false,
      providerMsgId: null,
      status: null,
      reactions: [],
      attachments: [],
      agentId: null,
      operator: null,
      inReplyTo: null,
      replyToMessageId: null,
      statusReason: null,
      editedAt: null,
      deletedAt: null,
      data: null,
      clientId: null,
    });
  });

  it('pause and resume: 200, the state, one ai_pause event each; a repeat emits nothing', async () => {
    const { id: tokenId, token } = await service.createToken(service.admin.jwt, { name: 'Pauser' });
    const sessionId = unique('paused');
    await talk.accepted({ sessionId });
    const { channelId } = await talk.session(sessionId);
    for (const aiPaused of [true, true, false, false]) {
      const path = `/sessions/${sessionId}/ai-paused`;
      const { message, ...rest } = await talk.expect(200, call('PATCH', path, { body: { aiPaused }, token }));
      assert.deepEqual(rest, { sessionId, aiPaused });
      assert.equal(typeof message, 'string');
      assert.equal((await talk.session(sessionId)).aiPaused, aiPaused);
    }
    const events = await talk.events(sessionId);
    assert.deepEqual(
      events.map((one) => [one.event, one.sequence, one.data]),
      [true, false].map((aiPaused, n) => [
        'ai_pause',
        n + 1,
        { sessionId, channelId, aiPaused, changedBy: events[0].data.changedBy },
      ]),
    );
    assert.ok(JSON.stringify(events[0].data.changedBy).includes(tokenId));
    for (const body of [{}, { aiPaused: 'yes' }, { aiPaused: null }]) {
      const refused = await call('PATCH', `/sessions/${sessionId}/ai-paused`, { body });
      assert.equal(refused.status, 400);
      assert.match(refused.body.message, /^aiPaused /);
    }
    const nobody = await call('PATCH', '/sessions/none/ai-paused', { body: { aiPaused: true } });
    assert.equal(nobody.status, 404);
  });

  it('20 pauses at once emit one event', async () => {
    const sessionId = unique('paused');
    await talk.accepted({ sessionId });
    await Promise.all(Array.from({ length: 20 }, () => talk.pause(sessionId)));
    assert.equal((await talk.events(sessionId)).length, 1);
  });

  it('PATCH renames and marks; a resume clears needsAttention, a pause does not', async () => {
    const sessionId = unique('marked');
    await talk.accepted({ sessionId });
    const patch = (body: object) => talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body }));
    assert.equal((await patch({ sessionName: 'New name' })).sessionName, 'New name');
    assert.equal((await patch({ needsAttention: true })).needsAttention, true);
    await talk.pause(sessionId);
    assert.equal((await talk.session(sessionId)).needsAttention, true);
    await talk.pause(sessionId, false);
    assert.equal((await talk.session(sessionId)).needsAttention, false);
    assert.equal((await patch({ unread: 0 })).unread, 0);
    assert.equal((await call('PATCH', `/sessions/${sessionId}`, { body: { sessionName: '' } })).status, 400);
  });

  it('finds people by words in any order and by phone numbers in any notation', async () => {
    const channel = await talk.channel();
    const send = (body: object) => talk.accepted({ fromChannelIdentifier: channel.identifier, ...body });
    const { sessionId } = await send({ sessionName: 'João Pereira', externalUserId: '+49 170 5551234' });
    await send({ sessionName: 'João Silva', externalUserId: '+49 171 5551234' });
    for (const q of [
      'pereira joão',
      'joao perei',
      '+49 170 555',
      '0049170555',
      '(0170) 555',
      'joao 0170/555',
    ]) {
      const found = await idsOf(`channelId=${channel.id}&q=${encodeURIComponent(q)}`);
      assert.deepEqual(found, [sessionId], q);
    }
  });

  it('around: the page with a message in its middle, and tokens in both directions', async () => {
    const { sessionId } = await talk.accepted({ content: '1' });
    await talk.pause(sessionId);
    for (let i = 2; i <= 9; i++) await talk.accepted({ sessionId, content: String(i) });
    const said = (await talk.messages(sessionId)).filter(({ role }) => role === 'user');
    const path = `/sessions/${sessionId}/messages`;
    const page = (query: string) => talk.expect(200, call('GET', `${path}?${query}`));
    const contents = ({ items }: Json) =>
      items.filter(({ role }: Json) => role === 'user').map(({ content }: Json) => content);
    const middle = await page(`around=${said[5]!.id}&limit=5`);
    assert.deepEqual(contents(middle), ['8', '7', '6', '5', '4']);
    const older = await page(`limit=2&nextToken=${encodeURIComponent(middle.nextToken)}`);
    assert.deepEqual(contents(older), ['3', '2']);
    const newer = await page(`order=asc&nextToken=${encodeURIComponent(middle.previousToken)}`);
    assert.deepEqual([contents(newer), newer.nextToken], [['9'], null]);
    assert.deepEqual(contents(await page(`around=${said[5]!.id}&limit=4&order=asc`)), ['4', '5', '6', '7']);
    const last = await page(`around=${said[8]!.id}&limit=1`);
    assert.deepEqual([contents(last), last.previousToken], [['9'], null]);
    const other = await talk.accepted({});
    for (const id of [other.userMessage.id, 'x', '018f0000-0000-7000-8000-000000000000'])
      assert.equal((await call('GET', `${path}?around=${id}`)).status, 404);
    const both = await call('GET', `${path}?around=${said[5]!.id}&nextToken=x`);
    assert.equal(both.status, 400);
    assert.match(both.body.message, /around/);
  });

  it('operators see the conversations of boards that are open to them, and reach no others', async () => {
    const closed = await talk.kanban();
    const insider = await service.createUser('operator');
    const outsider = await service.createUser('operator');
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [insider.id] } });
    const channel = await talk.channel();
    const send = (body: object) => talk.accepted({ fromChannelIdentifier: channel.identifier, ...body });
    const hidden = (await send({ kanbanId: closed.id })).sessionId;
    const open = (await send({})).sessionId;
    const mine = `channelId=${channel.id}`;
    assert.deepEqual((await idsOf(mine, insider.jwt)).sort(), [hidden, open].sort());
    assert.deepEqual(await idsOf(mine, outsider.jwt), [open]);
    const [message] = await talk.messages(hidden);
    const agentMessages = `/channels/${channel.id}/sessions/${hidden}/agent-messages`;
    const ways: [string, string, object?][] = [
      ['GET', `/sessions/${hidden}`],
      ['GET', `/sessions/${hidden}/messages`],
      ['GET', `/sessions/${hidden}/replies`],
      ['PATCH', `/sessions/${hidden}`, { sessionName: 'x' }],
      ['PATCH', `/sessions/${hidden}/ai-paused`, { aiPaused: true }],
      ['POST', `/sessions/${hidden}/messages/${message.id}/link`, { providerMsgId: 'p' }],
      ['POST', `/sessions/${hidden}/messages/status`, { providerMsgId: 'p', status: 'sent' }],
      ['POST', `/sessions/${hidden}/messages/reactions`, { providerMsgId: 'p', action: 'upsert' }],
      ['POST', `/sessions/${hidden}/messages/${message.id}/release`],
      ['DELETE', `/sessions/${hidden}/messages/${message.id}`],
      ['POST', agentMessages, { content: 'x' }],
      ['POST', agentMessages, { content: 'x', isNote: true }],
    ];
    for (const [method, path, body] of ways) {
      const { status } = await call(method, path, { token: outsider.jwt, ...(body && { body }) });
      assert.equal(status, 404, `${method} ${path}`);
    }
    assert.equal((await call('GET', `/sessions/${hidden}`, { token: insider.jwt })).status, 200);
  });
});
