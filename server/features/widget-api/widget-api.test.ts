/** The widget's API as the widget uses it, and as attackers do. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe("the widget's API", () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  before(async () => {
    service = await startTestService({ worker: true });
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const start = (body: object = {}, origin?: string) =>
    call('POST', '/widget/sessions', {
      token: null,
      body: { channel: 'web', ...body },
      ...(origin && { headers: { origin } }),
    });
  const visit = async (body: object = {}): Promise<string> => (await talk.expect(200, start(body))).token;
  const say = (token: string, body: object = {}) =>
    call('POST', '/widget/messages', {
      token,
      body: { clientId: unique('client-message'), content: 'Hello', ...body },
    });
  const history = async (token: string): Promise<Json[]> =>
    (await talk.expect(200, call('GET', '/widget/messages', { token }))).messages;
  /** The conversation of a message that a visitor has sent. */
  const sessionOf = async (content: string): Promise<Json> => {
    const { items } = await talk.expect(200, call('GET', '/sessions?limit=100'));
    for (const session of items) {
      if ((await talk.messages(session.sessionId)).some((one) => one.content === content)) return session;
    }
    throw new Error(`nobody wrote ${content}`);
  };
  const counted = async (metric: string): Promise<number> => {
    const { text } = await call('GET', '/metrics');
    const line = text.split('\n').find((one) => one.startsWith(metric));
    return line ? Number(line.split(' ').at(-1)) : 0;
  };

  it("a visitor's message goes the way of every customer's: a card, a reply, a place in the inbox", async () => {
    const token = await visit({ name: 'Ada' });
    const content = unique('What is Talkboard?');
    const sent = await talk.expect(202, say(token, { content }));
    const session = await sessionOf(content);
    assert.equal(session.sessionName, 'Ada');
    assert.equal(session.channelType, 'web');
    assert.equal(session.unread, 1);
    assert.ok(session.recordId);
    await talk.replied(session.sessionId);
    const [own, reply] = await history(token);
    assert.equal(own!.id, sent.id);
    assert.equal(own!.from, 'customer');
    assert.equal(reply!.from, 'assistant');
    assert.equal(reply!.name, 'Assistant');
  });

  it('a message that is sent twice, also at once, is there once', async () => {
    const token = await visit();
    const clientId = unique('again-and-again');
    const answers = await Promise.all([1, 2, 3, 4].map(() => say(token, { clientId, content: clientId })));
    const ids = answers.map(({ status, body }) => [status, body.id].join());
    assert.equal(new Set(ids).size, 1, ids.join(' '));
    assert.equal((await history(token)).filter(({ text }) => text === clientId).length, 1);
  });

  it('notes, held replies, system messages and what is internal never reach the visitor', async () => {
    const token = await visit();
    const content = unique('secretive');
    await talk.expect(202, say(token, { content }));
    const { sessionId, channelId } = await sessionOf(content);
    await talk.pause(sessionId);
    await talk.operatorSays(channelId, sessionId, { content: 'only for us', isNote: true });
    await talk.operatorSays(channelId, sessionId, { content: 'for you' });
    const { pool } = { pool: service.context.db };
    await pool.transaction(async (tx) => {
      const { sql } = await import('../../platform/db/sql.ts');
      await tx.query(sql`
        insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at, held)
        values (${service.admin.accountId}, ${sessionId}, 900, gen_random_uuid(), 'assistant', 'held back', 1, 1, true),
          (${service.admin.accountId}, ${sessionId}, 901, gen_random_uuid(), 'system', 'moved to a board', 1, 1, false)`);
    });
    const seen = await history(token);
    assert.deepEqual(
      seen.map(({ text }) => text).filter((text) => text !== content && !/^I /.test(text)),
      ['for you'],
    );
    const reply = seen.at(-1)!;
    assert.deepEqual(Object.keys(reply).sort(), [
      'at',
      'attachments',
      'citations',
      'clientId',
      'from',
      'id',
      'name',
      'position',
      'reactions',
      'status',
      'text',
    ]);
    assert.equal(reply.from, 'human');
  });

  it("delivered and read are the operators' ticks; a reaction is the customer's, and only to what was sent to them", async () => {
    const token = await visit();
    const content = unique('ticks');
    const own = await talk.expect(202, say(token, { content }));
    const { sessionId, channelId } = await sessionOf(content);
    await talk.pause(sessionId);
    await talk.operatorSays(channelId, sessionId, { content: 'seen?' });
    const message = (await history(token)).at(-1)!;
    const statusOf = async () => (await talk.messages(sessionId)).find(({ id }) => id === message.id)!.status;
    const receipt = (status: string) =>
      talk.expect(
        204,
        call('POST', '/widget/receipts', { token, body: { position: message.position, status } }),
      );
    await receipt('delivered');
    assert.equal(await statusOf(), 'delivered');
    await receipt('read');
    await receipt('delivered');
    assert.equal(await statusOf(), 'read');
    const react = (id: string, emoji: string | null) =>
      call('POST', `/widget/messages/${id}/reaction`, { token, body: { emoji } });
    await talk.expect(204, react(message.id, '👍'));
    assert.deepEqual((await history(token)).at(-1)!.reactions, ['👍']);
    await talk.expect(204, react(message.id, null));
    assert.deepEqual((await history(token)).at(-1)!.reactions, []);
    assert.equal((await react(own.id, '👍')).status, 404);
  });

  it('a blocked visitor gets the usual response, and only a count is stored', async () => {
    const token = await visit();
    const content = unique('soon blocked');
    await talk.expect(202, say(token, { content }));
    const { sessionId } = await sessionOf(content);
    await call('POST', `/blocked-contacts/${encodeURIComponent(sessionId)}`);
    const before = await talk.messages(sessionId);
    const answer = await say(token, { content: 'hello?' });
    assert.equal(answer.status, 202);
    assert.deepEqual(Object.keys(answer.body).sort(), ['at', 'id', 'position']);
    assert.deepEqual(await talk.messages(sessionId), before);
    const { items } = await talk.expect(200, call('GET', '/blocked-contacts'));
    assert.equal(items.find((one: Json) => one.identifierValue === sessionId).droppedCount, 1);
    assert.ok((await counted('talkboard_widget_messages_total{outcome="dropped"}')) >= 1);
  });

  it('a file is uploaded, sent and fetched by its visitor alone', async () => {
    const [token, stranger] = [await visit(), await visit()];
    const upload = (by: string, headers: object = {}) =>
      call('POST', '/widget/uploads', {
        token: by,
        body: png,
        headers: {
          'content-type': 'image/png',
          'content-length': String(png.length),
          'x-file-name': encodeURIComponent('dot — 1.png'),
          ...headers,
        },
      });
    await talk.expect(202, say(token, { content: 'a file follows' }));
    const file = await talk.expect(201, upload(token));
    assert.equal(file.fileName, 'dot — 1.png');
    assert.equal((await upload(token, { 'content-type': 'text/html' })).status, 400);
    assert.equal((await upload(token, { 'x-file-name': '%' })).status, 400);
    assert.equal((await say(stranger, { attachments: [file] })).status, 400);
    await talk.expect(202, say(token, { content: '', attachments: [file] }));
    const sent = (await history(token)).find(({ attachments }) => attachments.length > 0);
    assert.deepEqual(sent!.attachments, [file]);
    const fetched = await talk.expect(200, call('GET', `/widget/files/${file.fileKey}`, { token }));
    assert.match(fetched.downloadUrl, /\/files\//);
    assert.equal((await call('GET', `/widget/files/${file.fileKey}`, { token: stranger })).status, 404);
    const mine = await talk.expect(
      200,
      call('POST', '/messages/upload', { body: { fileName: 'a.txt', contentType: 'text/plain', size: 5 } }),
    );
    assert.equal((await call('GET', `/widget/files/${mine.fileKey}`, { token })).status, 404);
  });

  it('older messages come page by page, and a page of one visitor cannot be turned by another', async () => {
    const token = await visit();
    const content = unique('long');
    await talk.expect(202, say(token, { content }));
    const { sessionId } = await sessionOf(content);
    await talk.pause(sessionId);
    for (let index = 0; index < 34; index++) {
      await talk.accepted({
        sessionId,
        fromChannelIdentifier: 'web',
        channelType: 'web',
        content: `line ${index}`,
      });
    }
    const first = await talk.expect(200, call('GET', '/widget/messages', { token }));
    assert.equal(first.messages.length, 30);
    const rest = await talk.expect(200, call('GET', `/widget/messages?nextToken=${first.older}`, { token }));
    const texts = [...rest.messages, ...first.messages].map(({ text }: Json) => text);
    assert.equal(texts[0], content);
    assert.deepEqual(
      texts.filter((text) => text.startsWith('line')),
      Array.from({ length: 34 }, (_, index) => `line ${index}`),
    );
    const stranger = await visit();
    assert.equal(
      (await call('GET', `/widget/messages?nextToken=${first.older}`, { token: stranger })).status,
      400,
    );
  });

  describe('the token', () => {
    it('opens nothing else, and each try is counted', async () => {
      const token = await visit();
      const before = await counted('talkboard_widget_refused_total{reason="api"}');
      const paths = ['/sessions', '/messages', '/crm/records', '/account', '/channels', '/auth/me', '/users'];
      for (const path of paths)
        assert.equal((await call('GET', path, { token })).status, path === '/messages' ? 404 : 401);
      assert.equal((await call('POST', '/messages', { token, body: {} })).status, 401);
      assert.equal(await counted('talkboard_widget_refused_total{reason="api"}'), before + paths.length);
    });

    it('401 altered, shortened, of another prefix, or an API token instead', async () => {
      const token = await visit();
      const before = await counted('talkboard_widget_refused_total{reason="token"}');
      const altered = `${token.slice(0, 60)}${token[60] === 'A' ? 'B' : 'A'}${token.slice(61)}`;
      const tries = [
        altered,
        token.slice(0, -1),
        `${token}=`,
        token.slice(4),
        service.token,
        service.admin.jwt,
      ];
      for (const one of tries) assert.equal((await say(one)).status, 401, one);
      assert.equal((await call('POST', '/widget/messages', { token: null, body: {} })).status, 400);
      assert.equal(await counted('talkboard_widget_refused_total{reason="token"}'), before + tries.length);
    });

    it("reaches no other visitor's messages", async () => {
      const [token, stranger] = [await visit(), await visit()];
      const content = unique('private');
      await talk.expect(202, say(token, { content }));
      const { sessionId, channelId } = await sessionOf(content);
      await talk.pause(sessionId);
      await talk.operatorSays(channelId, sessionId, { content: 'private answer' });
      const message = (await history(token)).at(-1)!;
      await talk.expect(202, say(stranger));
      assert.ok((await history(stranger)).every(({ id }) => id !== message.id));
      const react = await call('POST', `/widget/messages/${message.id}/reaction`, {
        token: stranger,
        body: { emoji: '💥' },
      });
      assert.equal(react.status, 404);
    });

    it('continues a visit, but only on its own channel', async () => {
      const other = await talk.channel({ type: 'web' });
      const token = await visit();
      const content = unique('continued');
      await talk.expect(202, say(token, { content }));
      assert.equal((await history(await visit({ token })))[0]!.text, content);
      assert.deepEqual(await history(await visit({ token, channel: other.identifier })), []);
    });
  });

  describe('sites', () => {
    it('of another origin are refused where origins are named', async () => {
      const channel = await talk.channel({ type: 'web' });
      const settings = `/channels/${channel.id}/widget`;
      assert.equal((await start({ channel: channel.identifier }, 'https://evil.example')).status, 200);
      const origins = ['https://Shop.example/', 'http://localhost:8080'];
      const { allowedOrigins } = await talk.expect(
        200,
        call('PATCH', settings, { body: { allowedOrigins: origins } }),
      );
      assert.deepEqual(allowedOrigins, ['https://shop.example', 'http://localhost:8080']);
      const statusFor = async (origin?: string) =>
        (await start({ channel: channel.identifier }, origin)).status;
      assert.equal(await statusFor('https://shop.example'), 200);
      for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'null', undefined]) {
        assert.equal(await statusFor(origin), 403, origin);
      }
      const frame = await call('GET', `/widget/frame?channel=${channel.identifier}`, { token: null });
      assert.match(
        frame.headers['content-security-policy']!,
        /frame-ancestors 'self' https:\/\/shop\.example http:\/\/localhost:8080; sandbox allow-scripts /,
      );
      for (const bad of [
        'shop.example',
        'javascript:alert(1)',
        'https://a.example/path',
        'https://u:p@a.example',
      ]) {
        assert.equal((await call('PATCH', settings, { body: { allowedOrigins: [bad] } })).status, 400, bad);
      }
    });

    it('pass by their Host only while the instance does not know its own address', async () => {
      const channel = await talk.channel({ type: 'web' });
      const change = { body: { allowedOrigins: ['https://shop.example'] } };
      await talk.expect(200, call('PATCH', `/channels/${channel.id}/widget`, change));
      const asked = {
        token: null,
        body: { channel: channel.identifier },
        headers: { origin: 'http://evil.example', host: 'evil.example' },
      };
      assert.equal((await call('POST', '/widget/sessions', asked)).status, 200);
      const known = await service.startSecond({ PUBLIC_URL: 'https://desk.example' });
      assert.equal((await known.call('POST', '/widget/sessions', asked)).status, 403);
      const preview = { ...asked, headers: { origin: 'https://desk.example' } };
      assert.equal((await known.call('POST', '/widget/sessions', preview)).status, 200);
      await known.close();
    });

    it('with a channel of the same name in another account get the first one; its id names the other', async () => {
      const other = await service.createAccount();
      const own = await talk.expect(200, call('GET', '/channels', { token: other.token }));
      const channel = own.items.find((one: Json) => one.type === 'web');
      const { scriptUrl } = await talk.expect(
        200,
        call('GET', `/channels/${channel.id}/widget`, { token: other.token }),
      );
      assert.ok(scriptUrl.endsWith(`/widget.js?channel=${channel.id}`));
      const token = await visit({ channel: channel.id });
      await talk.expect(202, say(token, { content: unique('elsewhere') }));
      const { items } = await talk.expect(200, call('GET', '/sessions', { token: other.token }));
      assert.equal(items.length, 1);
    });
  });

  describe('a signed-in customer', () => {
    it('has one conversation everywhere, under their own id; a forged, old or withdrawn signature has not', async () => {
      const channel = await talk.channel({ type: 'web' });
      const rotate = async (): Promise<string> =>
        (await talk.expect(200, call('POST', `/channels/${channel.id}/widget/rotate-secret`))).identitySecret;
      const secret = await rotate();
      const sign = (key: string, claims: object) => {
        const user = JSON.stringify(claims);
        return { user, signature: createHmac('sha256', key).update(user).digest('hex') };
      };
      const open = async (signed: object): Promise<Json> =>
        talk.expect(200, start({ channel: channel.identifier, ...signed }));
      const claims = { id: 'ada@example.com', name: 'Ada L.', expiresAt: Date.now() + 60_000 };
      const first = await open(sign(secret, claims));
      assert.equal(first.isKnown, true);
      const content = unique('signed');
      await talk.expect(202, say(first.token, { content }));
      const session = await sessionOf(content);
      assert.equal(session.externalUserId, 'ada@example.com');
      assert.equal(session.sessionName, 'Ada L.');
      const second = await open(sign(secret, claims));
      assert.equal((await history(second.token))[0]!.text, content);
      const bad = [
        sign('another secret', claims),
        sign(secret, { ...claims, expiresAt: Date.now() - 1 }),
        sign(secret, { name: 'nobody' }),
        { ...sign(secret, claims), user: JSON.stringify({ ...claims, id: 'eve@example.com' }) },
      ];
      for (const one of bad) assert.equal((await open(one)).isKnown, false);
      assert.deepEqual(
        await history((await open({ token: first.token })).token),
        [],
        'signed out, still readable',
      );
      await call('POST', '/blocked-contacts/ADA@example.com');
      await talk.expect(202, say(first.token, { content: 'dropped' }));
      assert.equal(
        (await talk.messages(session.sessionId)).some((one) => one.content === 'dropped'),
        false,
      );
      await rotate();
      assert.equal((await say(first.token)).status, 401);
      const { text } = await call('GET', '/audit-log');
      assert.ok(!text.includes(secret) && text.includes('widget.secret_rotated'));
    });
  });

  it('429 for a visitor who writes too much, while another one can', async () => {
    const [token, other] = [await visit(), await visit()];
    const from = (address: string) => ({ 'x-forwarded-for': address });
    let refused = 0;
    for (let index = 0; index < 33; index++) {
      const { status } = await call('POST', '/widget/messages', {
        token,
        headers: from('203.0.113.7'),
        body: { clientId: unique('flooding'), content: 'x' },
      });
      if (status === 429) refused++;
    }
    assert.equal(refused, 3);
    const { status } = await call('POST', '/widget/messages', {
      token: other,
      headers: from('203.0.113.7'),
      body: { clientId: unique('flooding'), content: 'x' },
    });
    assert.equal(status, 202);
  });
});
