/** A person on request, name and e-mail, hours and the AI, ratings: over real HTTP. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe("the widget's service", () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let channelId: string;
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    ({ call } = service);
    const { items } = await talk.expect(200, call('GET', '/channels'));
    channelId = items.find(({ type }: Json) => type === 'web').id;
  });
  after(() => service.close());

  const settings = (body: object) =>
    talk.expect(200, call('PATCH', `/channels/${channelId}/widget`, { body }));
  const start = (body: object = {}): Promise<Json> =>
    talk.expect(
      200,
      call('POST', '/widget/sessions', { token: null, body: { channel: channelId, ...body } }),
    );
  const post = (path: string, token: string, body?: object) =>
    call('POST', `/widget/${path}`, { token, ...(body && { body }) });
  const say = (token: string, content: string) =>
    post('messages', token, { clientId: unique('service-client'), content });
  const find = async (content: string): Promise<Json> => {
    const { items } = await talk.expect(200, call('GET', '/sessions?limit=100'));
    for (const one of items) {
      if ((await talk.messages(one.sessionId)).some((message) => message.content === content)) return one;
    }
    throw new Error(`nobody wrote ${content}`);
  };
  const changesOf = async (sessionId: string): Promise<Json[]> =>
    (await talk.expect(200, call('GET', `/sessions/${sessionId}/changes`))).items;
  /** A visitor who has written, and the conversation. */
  const visitor = async () => {
    const { token } = await start();
    const content = unique('service');
    await talk.expect(202, say(token, content));
    return { token, session: await find(content) };
  };
  const read = async (sessionId: string): Promise<Json> =>
    talk.expect(200, call('GET', `/sessions/${sessionId}`));

  /** Told to the team as a request for a person. */
  const notified = (sessionId: string) =>
    eventually(async () => {
      const { items } = await talk.expect(200, call('GET', '/notifications', { token: service.admin.jwt }));
      return items.some(
        ({ sessionId: about, body }: Json) =>
          about === sessionId && body === 'The customer asked for a person.',
      );
    });

  it('a message that asks for a person is stored with the request or not at all', async () => {
    await settings({ talkToPerson: true });
    const { token } = await start();
    const content = unique('both or none');
    const message = { clientId: unique('service-client'), content, wantsPerson: true };
    const { db } = service.context;
    await db.query(sql`
      create function refuse_pause() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
    await db.query(sql`
      create trigger refuse_pause before insert on ai_pauses for each row execute function refuse_pause()`);
    try {
      assert.equal((await post('messages', token, message)).status, 500);
    } finally {
      await db.query(sql`drop function refuse_pause cascade`);
    }
    await assert.rejects(find(content), /nobody wrote/);
    await talk.expect(202, post('messages', token, message));
    await talk.expect(202, post('messages', token, message));
    const { sessionId, aiPaused } = await find(content);
    assert.equal(aiPaused, true);
    assert.equal((await talk.messages(sessionId)).filter((one) => one.content === content).length, 1);
    await settings({ talkToPerson: false });
  });

  it('a request for a person pauses the AI, opens the conversation and is told once', async () => {
    const { token, session } = await visitor();
    const { sessionId } = session;
    assert.equal((await post('person', token)).status, 403);
    const wish = { clientId: unique('service-client'), content: 'Hello again', wantsPerson: true };
    await talk.expect(202, post('messages', token, wish));
    assert.equal((await read(sessionId)).aiPaused, false);
    await settings({ talkToPerson: true });
    await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body: { status: 'resolved' } }));
    const answers = await Promise.all([post('person', token), post('person', token)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 204],
    );
    const { status, aiPaused, needsAttention } = await read(sessionId);
    assert.deepEqual(
      { status, aiPaused, needsAttention },
      { status: 'open', aiPaused: true, needsAttention: true },
    );
    const asked = (await changesOf(sessionId)).filter(({ changes }) =>
      changes.some(({ field }: Json) => field === 'personRequested'),
    );
    assert.equal(asked.length, 1);
    assert.deepEqual(asked[0]!.changedBy, { type: 'customer', id: null, name: null });
    await notified(sessionId);
    const { items } = await talk.expect(200, call('GET', `/inbox/sessions/${sessionId}/pauses`));
    assert.equal(items.at(-1).by.id, 'customer');
    const { token: silent } = await start();
    assert.equal((await post('person', silent)).status, 409);
    const content = unique('a person, please');
    const first = { clientId: unique('service-client'), content, wantsPerson: true };
    await talk.expect(202, post('messages', silent, first));
    const begun = await find(content);
    assert.deepEqual([begun.aiPaused, begun.needsAttention], [true, true]);
    await notified(begun.sessionId);
    assert.deepEqual((await talk.expect(200, call('GET', `/sessions/${begun.sessionId}/replies`))).items, []);
    await settings({ talkToPerson: false });
  });

  it('asks for name and e-mail before the first message, stores them and finds the conversation by them', async () => {
    await settings({ askFor: 'first_message', askName: 'required', askEmail: 'required' });
    const { token, name, email } = await start();
    assert.deepEqual({ name, email }, { name: null, email: null });
    const content = unique('who am I');
    assert.match((await talk.expect(400, say(token, content))).message, /name is required/);
    for (const body of [
      { email: 'ada' },
      { email: 'ada@example.com\r\nBcc: x@y.z' },
      { email: 'a b@c.de' },
    ]) {
      assert.match((await talk.expect(400, post('details', token, body))).message, /email/);
    }
    const address = `${unique('ada')}@Example.com`.replaceAll(/[^\w@.-]/g, '-');
    const given = await talk.expect(200, post('details', token, { name: 'Ada Lovelace', email: address }));
    assert.equal(given.email, address.toLowerCase());
    await talk.expect(202, say(given.token, content));
    const session = await find(content);
    assert.equal(session.sessionName, 'Ada Lovelace');
    assert.equal(session.customerEmail, address.toLowerCase());
    const q = encodeURIComponent(address);
    const { items } = await talk.expect(200, call('GET', `/sessions?q=${q}`));
    assert.deepEqual(
      items.map(({ sessionId }: Json) => sessionId),
      [session.sessionId],
    );
    const inbox = await talk.expect(200, call('GET', `/inbox/search?q=${q}`));
    assert.equal(inbox.items[0].sessionId, session.sessionId);
    // Known again with the next visit.
    assert.equal((await start({ token: given.token })).email, address.toLowerCase());
  });

  it('a signed identity wins, and a conversation that has begun is not interrupted', async () => {
    await settings({ askFor: 'off' });
    const { token, session } = await visitor();
    await settings({ askFor: 'first_message', askEmail: 'required', askName: 'off' });
    await talk.expect(202, say(token, 'more'));
    await talk.expect(200, post('details', token, { name: 'Grace', email: 'grace@example.com' }));
    const after = await read(session.sessionId);
    assert.deepEqual([after.sessionName, after.customerEmail], ['Grace', 'grace@example.com']);
    const rotated = await talk.expect(200, call('POST', `/channels/${channelId}/widget/rotate-secret`));
    const user = JSON.stringify({ id: unique('signed'), name: 'Signed', email: 'Signed@example.com' });
    const signature = createHmac('sha256', rotated.identitySecret).update(user).digest('hex');
    const known = await start({ user, signature });
    assert.deepEqual([known.isKnown, known.email], [true, 'signed@example.com']);
    const content = unique('signed in');
    await talk.expect(200, post('details', known.token, { name: 'Mallory', email: 'mallory@example.com' }));
    await talk.expect(202, say(known.token, content));
    const own = await find(content);
    assert.deepEqual([own.sessionName, own.customerEmail], ['Signed', 'signed@example.com']);
    const moved = JSON.stringify({ ...JSON.parse(user), email: 'moved@example.com' });
    const again = await start({
      user: moved,
      signature: createHmac('sha256', rotated.identitySecret).update(moved).digest('hex'),
    });
    await talk.expect(202, say(again.token, 'with a new address'));
    assert.equal((await read(own.sessionId)).customerEmail, 'moved@example.com');
    // A message that carries no address leaves it.
    await talk.expect(202, say(token, 'once more'));
    assert.equal((await read(session.sessionId)).customerEmail, 'grace@example.com');
    await settings({ askFor: 'off' });
  });

  it('hours are validated, told to the frame, and decide about the AI only if the settings say so', async () => {
    const closed = { timeZone: 'Europe/Lisbon', week: [], closedDates: [] };
    const body = { hours: { ...closed, timeZone: 'Mars/Base' } };
    const wrong = await talk.expect(400, call('PATCH', `/channels/${channelId}/widget`, { body }));
    assert.match(wrong.message, /hours\.timeZone/);
    const saved = await settings({ hours: closed, awayMessage: ' Back soon. ', aiHours: 'open' });
    assert.deepEqual([saved.hours, saved.awayMessage], [closed, 'Back soon.']);
    const frame = await call('GET', `/widget/frame?channel=${channelId}`, { token: null });
    const look = JSON.parse(/id="look">(.*?)<\/script>/.exec(frame.text)![1]!);
    assert.deepEqual(look.service.hours, { isOpen: false, changes: [] });
    const { token, session } = await visitor();
    assert.deepEqual([session.aiPaused, session.needsAttention], [false, true]);
    const { items } = await talk.expect(200, call('GET', `/sessions/${session.sessionId}/replies`));
    assert.deepEqual(items, []);
    // Where a person answers already, nobody is called.
    const path = `/sessions/${session.sessionId}`;
    await talk.expect(200, call('PATCH', `${path}/ai-paused`, { body: { aiPaused: true } }));
    await talk.expect(200, call('PATCH', path, { body: { needsAttention: false } }));
    await talk.expect(202, say(token, 'and another thing'));
    const handled = await read(session.sessionId);
    assert.deepEqual([handled.aiPaused, handled.needsAttention], [true, false]);
    await settings({ aiHours: 'always' });
    const { session: answered } = await visitor();
    await talk.replied(answered.sessionId);
    assert.equal((await settings({ hours: null, awayMessage: '' })).hours, null);
  });

  it('a resolved conversation is rated, changed, told as an event, and closed by the next message', async () => {
    const { token, session } = await visitor();
    const { sessionId } = session;
    await settings({ askRating: true });
    assert.equal((await post('rating', token, { score: 5 })).status, 409);
    await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body: { status: 'resolved' } }));
    for (const body of [{ score: 0 }, { score: 6 }, { score: 2.5 }, {}]) {
      assert.equal((await post('rating', token, body)).status, 400);
    }
    for (const body of [{ score: 2 }, { score: 2 }, { score: 4, comment: ' Better. ' }]) {
      assert.equal((await post('rating', token, body)).status, 204);
    }
    const own = await talk.expect(200, call('GET', '/widget/rating', { token }));
    assert.deepEqual(own, { score: 4, comment: 'Better.' });
    const rated = (await changesOf(sessionId)).filter(({ changes }) => changes[0].field.startsWith('rating'));
    assert.deepEqual(
      rated.map(({ changes }) => changes.map(({ newValue }: Json) => newValue)),
      [[4, 'Better.'], [2]],
    );
    const events = await service.context.db.query<{ body: string }>(sql`
      select body from events where subject_id = ${sessionId} and event = 'session_rated' order by sequence`);
    assert.deepEqual(
      events.map(({ body }) => JSON.parse(body).data.score),
      [2, 4],
    );
    const report = await talk.expect(200, call('GET', `/reports/satisfaction?channelId=${channelId}`));
    const figures = { count: 1, average: 4, distribution: [0, 0, 0, 1, 0] };
    assert.deepEqual(report.total, figures);
    assert.deepEqual(report.operators, [{ userId: null, name: null, ...figures }]);
    assert.deepEqual([report.channels[0].channelId, report.channels[0].count], [channelId, 1]);
    const { text } = await call('GET', '/reports/satisfaction?format=csv');
    assert.match(text, /^\ufeffpart,from,to,id,name,count,average,score1,score2,score3,score4,score5\r\n/);
    assert.match(text, /\r\noperator,,,,,1,4,0,0,0,1,0\r\n/);
    await talk.expect(202, say(token, 'One more thing'));
    assert.equal((await post('rating', token, { score: 1 })).status, 409);
    assert.equal((await talk.expect(200, call('GET', '/widget/rating', { token }))).score, null);
    await settings({ askRating: false });
  });
});
