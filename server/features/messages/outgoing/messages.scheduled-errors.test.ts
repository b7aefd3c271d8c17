/** Scheduled messages that cannot be sent now. No worker runs: each test sends batch after batch itself. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { createSendDue } from './messages.scheduled.jobs.ts';

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

  for (const [error, waitMs] of [
    ['fails for now', 500],
    ['fails for long', 10_000],
  ] as const) {
    it(`keep the order of their conversation: ${error}`, async () => {
      let now = 0;
      const sendDue = createSendDue(service.context, () => now);
      const session = await due(1, [`1 ${error}`, '2', '3']);
      const other = await due(10, ['beside']);
      await sendDue();
      assert.deepEqual(await sentIn(other), ['beside']);
      await sendDue();
      assert.deepEqual(await sentIn(session), []);
      // The wait doubles.
      for (const wait of [waitMs, 2 * waitMs]) {
        now += wait - 1;
        await repair(session);
        await sendDue();
        assert.deepEqual(await sentIn(session), [], 'before its wait is over');
        await query(sql`
          update scheduled_messages set content = replace(content, 'failed', 'fails') where session_id = ${session}`);
        now += 1;
        await sendDue();
        assert.deepEqual(await sentIn(session), []);
      }
      await repair(session);
      now += 4 * waitMs;
      await sendDue();
      await sendDue();
      assert.deepEqual(await sentIn(session), [`1 ${error.replace('fails', 'failed')}`, '2', '3']);
    });
  }

  it('delay none behind them, and a batch that fails as a whole is followed by a pause', async () => {
    const sendDue = createSendDue(service.context);
    for (const session of [await due(1, ['fails for long']), await due(1, ['fails for now'])]) {
      await query(sql`
        insert into scheduled_messages
        select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid()))).*
        from scheduled_messages m, generate_series(2, ${batch / 2}::int) where m.session_id = ${session}`);
    }
    const behind = await due(10, ['behind']);
    assert.equal(await sendDue(), false, 'a pause');
    assert.deepEqual(await sentIn(behind), []);
    await sendDue();
    assert.deepEqual(await sentIn(behind), ['behind']);
    await query(sql`delete from scheduled_messages where content like 'fails%'`);
  });

  it('in one account stop no other account, however many they are', async () => {
    const { accountId, token } = await service.createAccount();
    const other = await placeOf({
      ...service,
      admin: { ...service.admin, accountId },
      call: (method, path, options) => service.call(method, path, { token, ...options }),
    });
    let now = 0;
    const sendDue = createSendDue(service.context, () => now, { ofAccount: 2, inAll: 2 });
    const failing = [await due(1, ['1 fails for long']), await due(2, ['2 fails for long'])];
    await sendDue();
    const [waiting, sent] = [await due(3, ['own']), await due(4, ['other'], other)];
    await sendDue();
    assert.deepEqual([await sentIn(waiting), await sentIn(sent, other)], [[], ['other']]);
    // One that succeeds shows that the account's others may be sent again.
    await repair(failing[0]!);
    now += 10_000;
    await sendDue();
    await sendDue();
    assert.deepEqual(
      [await sentIn(failing[0]!), await sentIn(failing[1]!), await sentIn(waiting)],
      [['1 failed for long'], [], ['own']],
    );
    await query(sql`delete from scheduled_messages where content like '%fails%'`);
  });
});
