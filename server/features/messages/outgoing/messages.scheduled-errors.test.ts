/** Scheduled messages that cannot be sent now. No worker runs: each test sends and retries itself. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { startJobs } from '../../../platform/jobs/jobs.ts';
import { scheduledHandler, sendDue } from './messages.scheduled.jobs.ts';

const hour = 3_600_000;
const batch = 200;

/** An account's conversations, and the channel that they are in. */
interface Place {
  chats: Conversations;
  channelId: string;
}

describe('scheduled messages that fail', () => {
  let service: TestService;
  let own: Place;
  before(async () => {
    service = await joinTestService();
    own = await placeOf(service);
    // 53100 passes by itself, the usual code of an exception does not.
    await query(sql`
      create function refuse() returns trigger language plpgsql as $$ begin
        if new.content like '%fails for now%' then raise 'not now' using errcode = '53100'; end if;
        if new.content like '%fails for long%' then raise 'not at all'; end if;
        return new;
      end $$`);
    await query(sql`create trigger refuse before insert on messages for each row execute function refuse()`);
  });
  after(() => service.close());

  async function placeOf(of: TestService): Promise<Place> {
    const chats = conversationsOf(of);
    const { items } = await chats.expect(200, of.call('GET', '/channels'));
    return { chats, channelId: items.find(({ type }: { type: string }) => type === 'api').id };
  }

  const query = (statement: ReturnType<typeof sql>) =>
    service.context.db.transaction((tx) => tx.query(statement));

  /** A conversation with messages, due one after the other. */
  async function due(
    sendAt: number,
    contents: readonly string[],
    { chats, channelId } = own,
  ): Promise<string> {
    const session = unique('later');
    await chats.send({ sessionId: session });
    for (const [index, content] of contents.entries()) {
      const body = { content, sendAt: Date.now() + hour + index };
      const { status, text } = await chats.operatorSays(channelId, session, body);
      assert.equal(status, 201, text);
    }
    await query(sql`
      update scheduled_messages set send_at = ${sendAt}::bigint + place
      from (select id as i, row_number() over (order by send_at) as place from scheduled_messages
        where session_id = ${session}) as p
      where id = i`);
    return session;
  }
  const sentIn = async (session: string, { chats } = own) =>
    (await chats.messages(session)).filter(({ role }) => role === 'operator').map(({ content }) => content);
  const repair = (session: string) =>
    query(
      sql`update scheduled_messages set content = replace(content, 'fails', 'failed') where session_id = ${session}`,
    );

  const jobs = () =>
    query(
      sql`select dedupe_key as session, attempts, run_at > now() as waits from jobs where kind = 'scheduled-messages'`,
    );
  /** What the worker does with the jobs of conversations that failed. */
  async function retry(): Promise<void> {
    await query(sql`update jobs set run_at = now() where kind = 'scheduled-messages'`);
    const left = (await jobs()).length;
    let ended = 0;
    const done = Promise.withResolvers<void>();
    const worker = startJobs({
      ...service.context,
      handlers: { 'scheduled-messages': scheduledHandler(service.context) },
      onFinished: () => ++ended === left && done.resolve(),
    });
    if (left > 0) await done.promise;
    await worker.stop();
  }

  for (const error of ['fails for now', 'fails for long']) {
    it(`keep the order of their conversation: ${error}`, async () => {
      const session = await due(1, [`1 ${error}`, '2', '3']);
      const other = await due(10, ['beside']);
      await sendDue(service.context);
      assert.deepEqual(await sentIn(other), ['beside']);
      assert.deepEqual(await jobs(), [{ session, attempts: 0, waits: true }]);
      await sendDue(service.context);
      assert.deepEqual(await sentIn(session), [], 'the later ones wait');
      await retry();
      assert.deepEqual(await sentIn(session), []);
      assert.deepEqual(await jobs(), [{ session, attempts: 1, waits: true }]);
      await repair(session);
      await sendDue(service.context);
      assert.deepEqual(await sentIn(session), [], 'before its wait is over');
      await retry();
      assert.deepEqual(await sentIn(session), [`1 ${error.replace('fails', 'failed')}`, '2', '3']);
      assert.deepEqual(await jobs(), []);
    });
  }

  it('delay none behind them, however many they are', async () => {
    for (const session of [await due(1, ['fails for long']), await due(1, ['fails for now'])]) {
      await query(sql`
        insert into scheduled_messages
        select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid()))).*
        from scheduled_messages m, generate_series(2, ${batch / 2}::int) where m.session_id = ${session}`);
    }
    const behind = await due(10, ['behind']);
    assert.equal(await sendDue(service.context), true, 'there may be more');
    assert.deepEqual(await sentIn(behind), []);
    assert.equal(await sendDue(service.context), false);
    assert.deepEqual(await sentIn(behind), ['behind']);
    await query(sql`delete from scheduled_messages where content like 'fails%'`);
    await retry();
    assert.deepEqual(await jobs(), []);
  });
});
