import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  type Answer,
  joinTestService,
  startTestService,
  type TestService,
} from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('messages that come at the same time', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let send: Conversations['send'];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    ({ send } = talk);
  });
  after(() => service.close());

  /** Conversations that are there already, each with its first message. */
  const begun = async (count: number, body: object = {}): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => unique('together'));
    for (const sessionId of ids) await talk.accepted({ sessionId, ...body });
    return ids;
  };
  const block = (contact: string) => call('POST', `/blocked-contacts/${encodeURIComponent(contact)}`);
  const statuses = (answers: Answer[]) => answers.map((one) => one.status);
  /** How many transactions wrote the conversations' messages of this content. */
  const transactions = async (content: string) => {
    const [row] = await service.context.db.query<{ count: number }>(
      sql`select count(distinct xmin::text)::int as count from messages where content = ${content}`,
    );
    return row!.count;
  };

  it('share transactions: each is answered for itself, stored, counted and asked a reply for', async () => {
    const ids = await begun(40);
    const answers = await Promise.all(
      ids.map((sessionId) => send({ sessionId, content: 'shared', sessionName: `Name of ${sessionId}` })),
    );
    assert.deepEqual([...new Set(statuses(answers))], [202]);
    assert.ok((await transactions('shared')) <= 10, `${await transactions('shared')} transactions`);
    for (const [index, sessionId] of ids.entries()) {
      const { userMessage, isNewSession, sessionId: answered } = answers[index]!.body;
      assert.deepEqual([answered, isNewSession], [sessionId, false]);
      const messages = await talk.messages(sessionId);
      assert.deepEqual(
        messages.map((one) => [one.role, one.content]),
        [
          ['user', 'Hello'],
          ['user', 'shared'],
        ],
      );
      const { role, content, timestamp, id } = messages[1];
      assert.deepEqual(userMessage, { id, role, content, timestamp });
      const { unread, lastMessageAt, sessionName } = await talk.session(sessionId);
      assert.deepEqual([unread, lastMessageAt, sessionName], [2, timestamp, `Name of ${sessionId}`]);
      assert.equal(await talk.count(sql`pending_replies where message_id = ${id}`), 1);
      assert.equal(
        await talk.count(sql`jobs where kind = 'ai-reply' and dedupe_key = ${sessionId}`),
        1,
        'one job for both messages',
      );
    }
  });

  it('of one conversation keep their order among those of others', async () => {
    const [one, ...others] = await begun(6);
    const numbered = Array.from({ length: 20 }, (_, n) => send({ sessionId: one, content: `n${n}` }));
    const around = others.flatMap((sessionId) => [send({ sessionId }), send({ sessionId })]);
    assert.deepEqual([...new Set(statuses(await Promise.all([...numbered, ...around])))], [202]);
    const contents = (await talk.messages(one!)).map((message) => message.content);
    assert.deepEqual(contents, ['Hello', ...Array.from({ length: 20 }, (_, n) => `n${n}`)]);
  });

  it('a new one, a transfer, a refusal, a blocked and a paused one each get their own answer', async () => {
    const [plain, moved, otherChannel, paused, echoed] = await begun(5);
    const board = await talk.kanban();
    const channel = await talk.channel();
    await talk.pause(paused!);
    const blocked = unique('+4915112345');
    const [ofBlocked] = await begun(1, { externalUserId: blocked });
    assert.equal((await block(blocked)).status, 201);
    const fresh = unique('fresh');
    const answers = await Promise.all([
      send({ sessionId: plain, content: 'mixed' }),
      send({ sessionId: fresh, content: 'mixed' }),
      send({ sessionId: moved, content: 'mixed', kanbanId: board.id }),
      send({ sessionId: otherChannel, content: 'mixed', fromChannelIdentifier: channel.identifier }),
      send({ sessionId: unique('nowhere'), fromChannelIdentifier: 'no such channel' }),
      send({ sessionId: ofBlocked, content: 'mixed' }),
      send({ sessionId: paused, content: 'mixed' }),
      send({ sessionId: echoed, content: 'mixed', isEcho: true, externalUserId: unique('someone') }),
    ]);
    assert.deepEqual(statuses(answers), [202, 202, 202, 409, 404, 403, 202, 200]);
    assert.deepEqual(
      answers.map((one) => one.body.isNewSession),
      [false, true, false, undefined, undefined, undefined, false, false],
    );
    assert.equal((await talk.session(moved!)).kanbanId, board.id);
    assert.equal((await talk.messages(otherChannel!)).length, 1);
    assert.equal((await talk.messages(ofBlocked!)).length, 1);
    assert.equal(await talk.count(sql`pending_replies where session_id = ${paused}`), 0);
    assert.equal(
      await talk.count(sql`pending_replies where session_id = ${echoed}`),
      1,
      'of the first alone',
    );
    assert.equal((await talk.messages(echoed!))[1].isEcho, true);
    assert.equal((await talk.messages(plain!)).length, 2);
  });

  it('with forwarding each has its event, with the next sequence of its conversation', async () => {
    const channel = await talk.channel({ webhookUrl: 'https://example.com/hook', forwardIncoming: true });
    const ids = await begun(8, { fromChannelIdentifier: channel.identifier });
    await Promise.all(
      ids.map((sessionId) =>
        talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier, content: 'forwarded' }),
      ),
    );
    for (const sessionId of ids) {
      const events = await talk.events(sessionId);
      assert.deepEqual(
        events.map((one) => [one.event, one.direction, one.sequence, one.data.message.content]),
        [
          ['message_created', 'incoming', 1, 'Hello'],
          ['message_created', 'incoming', 2, 'forwarded'],
        ],
      );
    }
    assert.equal(
      await talk.count(sql`webhook_deliveries d join events e on e.id = d.event_id
        where e.subject_id = any(${ids}::text[])`),
      16,
    );
  });

  it('one whose conversation somebody else holds waits for it; the others do not', async () => {
    const [held, ...others] = await begun(5);
    const { db } = service.context;
    let answered = false;
    let waiting: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(
        hashtextextended(${service.admin.accountId}::text || '/session/' || ${held}::text, 0))`);
      waiting = send({ sessionId: held, content: 'late' }).then((answer) => {
        answered = true;
        assert.equal(answer.status, 202);
      });
      const answers = await Promise.all(others.map((sessionId) => send({ sessionId })));
      assert.deepEqual([...new Set(statuses(answers))], [202]);
      await eventually(async () => {
        const waits = await db.query(
          sql`select 1 from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`,
        );
        return waits.length > 0;
      });
      assert.equal(answered, false);
    });
    await waiting;
    assert.equal((await talk.messages(held!))[1].content, 'late');
  });

  it('a block that has been answered lets none of them through, whatever they share', async () => {
    const customers = Array.from({ length: 10 }, () => unique('customer'));
    const ids = customers.map(() => unique('raced'));
    for (const [n, sessionId] of ids.entries())
      await talk.accepted({ sessionId, externalUserId: customers[n] });
    const target = customers[0]!;
    let blockedAt = Number.POSITIVE_INFINITY;
    const blocking = block(target).then((answer) => {
      assert.equal(answer.status, 201, answer.text);
      blockedAt = performance.now();
    });
    const late: number[] = [];
    for (let round = 0; round < 20 || late.length === 0; round++) {
      await Promise.all(
        ids.map(async (sessionId, n) => {
          const began = performance.now();
          const { status } = await send({ sessionId, externalUserId: customers[n] });
          if (n === 0 && began > blockedAt) late.push(status);
          else if (n > 0) assert.equal(status, 202);
        }),
      );
    }
    await blocking;
    assert.ok(late.length > 0);
    assert.deepEqual([...new Set(late)], [403]);
  });
});

describe('messages that share a transaction which fails, or is followed by something that does', () => {
  let service: TestService;
  let talk: Conversations;
  const logged: { level: number; msg: string; count?: number; err?: { message: string } }[] = [];

  before(async () => {
    service = await startTestService({
      env: { LOG_LEVEL: 'warn' },
      logTo: { write: (line) => logged.push(JSON.parse(line)) },
    });
    talk = conversationsOf(service);
  });
  after(() => service.close());

  /** Of as many conversations, at the same time. */
  const sendTogether = async (contents: string[]) => {
    const ids = contents.map(() => unique('failing'));
    for (const sessionId of ids) await talk.accepted({ sessionId });
    const answers = await Promise.all(
      ids.map((sessionId, index) => talk.send({ sessionId, content: contents[index]! })),
    );
    const stored = await Promise.all(ids.map((sessionId) => talk.messages(sessionId)));
    return answers.map(({ status }, index) => [
      status,
      ...stored[index]!.slice(1).map(({ content }) => content),
    ]);
  };

  it('one that the database refuses takes no other along, and why the batch failed is logged', async () => {
    const { db } = service.context;
    await db.autocommit(sql`
      create function refuse_poison() returns trigger language plpgsql as
        $$ begin raise 'poison is refused'; end $$`);
    await db.autocommit(sql`
      create trigger refuse_poison before insert on messages for each row
        when (new.content = 'poison') execute function refuse_poison()`);
    const sent = await sendTogether(['a', 'b', 'poison', 'c', 'd']);
    await db.autocommit(sql`drop function refuse_poison cascade`);
    assert.deepEqual(sent, [[202, 'a'], [202, 'b'], [500], [202, 'c'], [202, 'd']]);
    const batch = logged.find(({ msg }) => /batch of messages failed/.test(msg));
    assert.match(batch?.err?.message ?? '', /poison is refused/);
    assert.ok(batch!.count! > 1);
  });

  it('nothing is sent again because what follows the commit fails', async () => {
    const broken = service.context.db.onCommit(() => {
      throw new Error('a listener is broken');
    });
    const sent = await sendTogether(['e', 'f', 'g', 'h']);
    broken();
    assert.deepEqual(
      sent,
      ['e', 'f', 'g', 'h'].map((content) => [202, content]),
    );
    assert.ok(logged.some(({ err }) => err?.message === 'a listener is broken'));
  });
});
