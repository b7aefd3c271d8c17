/** The corpus and threads with broken headers through a whole service; another process takes the mailbox over. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { damages } from '../../../../test/support/mail-threads.ts';
import { mailboxStage, withText } from '../../../../test/support/providers/mailbox-stage.ts';
import type { Json } from '../../../../test/support/service.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

const corpus = new URL('../../../../test/fixtures/mail/', import.meta.url);
const threads = 40;

describe('a mailbox', () => {
  const stage = mailboxStage();
  const { write } = stage;
  let channel: ReturnType<typeof stage.channel>;
  before(async () => {
    channel = stage.channel();
    // The AI waits for more messages until the tests are over: it answers nothing.
    const { defaultAgentId } = await channel.talks.expect(
      200,
      channel.service.call('GET', `/channels/${channel.id}`),
    );
    const body = { batchWindowMs: 60_000 };
    await channel.talks.expect(200, channel.service.call('PATCH', `/agents/${defaultAgentId}`, { body }));
  });
  const query = <T>(statement: ReturnType<typeof sql>) => channel.service.context.db.query<T>(statement);
  const customerTexts = async (sessionId: string): Promise<string[]> =>
    (await channel.talks.messages(sessionId))
      .filter(({ role }: Json) => role === 'user')
      .map(({ content }: Json) => content);

  it('40 threads of one subject with broken headers: no mail is lost, and each is in its thread', async () => {
    const all = () =>
      query<{ sessionId: string; content: string }>(sql`
        select session_id as "sessionId", content from messages
        where role = 'user' and content ~ '^(Root|Second|Third) '`);
    const stored = (count: number) => eventually(async () => (await all()).length === count, 120_000);
    const roots = Array.from({ length: threads }, (_, thread) =>
      write({ from: `customer${thread}@example.org`, text: `Root ${thread}` }),
    );
    // A mail is stored before somebody answers it: those of other senders are processed side by side.
    await stored(threads);
    const broken = (thread: number, place: number, earlier: string[]) => {
      const damage = damages[(thread + place) % damages.length]!;
      const parent = earlier.at(-1)!;
      // The last one names only ancestors.
      return damage(parent, damage === damages.at(-1) ? [earlier[0]!] : earlier.slice(0, -1));
    };
    // A colleague answers in every thread: without its ids each mail would be in the colleague's own conversation.
    const second = roots.map((root, thread) =>
      write({
        from: 'colleague@example.org',
        text: `Second ${thread}`,
        subject: 'RE: AW: Order 7',
        headers: broken(thread, 0, [root]),
      }),
    );
    await stored(2 * threads);
    for (const [thread, root] of roots.entries()) {
      write({
        from: 'another@example.org',
        text: `Third ${thread}`,
        subject: 'Re: Order 7',
        headers: broken(thread, 1, [root, second[thread]!]),
      });
    }
    await stored(3 * threads);
    const found = Map.groupBy(await all(), ({ sessionId }) => sessionId);
    assert.equal(found.size, threads);
    for (let thread = 0; thread < threads; thread++) {
      const own = found.get(`email:customer${thread}@example.org`)!.map(({ content }) => content);
      assert.deepEqual(own.sort(), [`Root ${thread}`, `Second ${thread}`, `Third ${thread}`]);
    }
  });

  it('of the corpus every mail becomes a message, a status or an entry of the log', async () => {
    const names = readdirSync(corpus).filter((name) => name.endsWith('.eml'));
    const expected = JSON.parse(readFileSync(new URL('expected.json', corpus), 'utf8')) as Json;
    const becomes = (name: string) => {
      const { ignored, bounce } = expected[name.replace('.eml', '')];
      return ignored ? 'dropped' : bounce ? 'status' : 'message';
    };
    const all = Map.groupBy(names, becomes);
    // The reports are about one message: they are one status for each of its recipients, Ada, Ben and Cleo.
    const entries = all.get('message')!.length + all.get('dropped')!.length + 3;
    const done = async () => {
      const [row] = await query<{ count: number }>(sql`
        select count(*)::int as count from connector_items where state in ('done', 'dropped', 'early')`);
      return row!.count;
    };
    const before = await done();
    for (const name of names) stage.imap().deliver(readFileSync(new URL(name, corpus)));
    await eventually(async () => (await done()) === before + entries, 120_000);
    const [row] = await query<{ count: number }>(
      sql`select count(*)::int as count from mail_messages where is_incoming`,
    );
    assert.equal(row!.count, 3 * threads + all.get('message')!.length);
  });

  const dead = '00000000-0000-7000-8000-00000000dead';
  /** As after the end of a process that polled it. */
  const leaveToDead = (cursor: Sql) =>
    channel.service.context.db.transaction(async (tx) => {
      await tx.query(sql`insert into processes (id, alive_until) values (${dead}, now())`);
      await tx.query(
        sql`update connectors set poller = ${dead}, poll_cursor = ${cursor} where channel_id = ${channel.id}`,
      );
    });

  it('is taken over from a process that died: each mail is stored once', async () => {
    const sessionId = 'email:late@example.org';
    write({ from: 'late@example.org', text: 'One' });
    await channel.stored(sessionId, withText('One'));
    const idling = stage.imap().idling();
    await leaveToDead(sql`poll_cursor`);
    write({ from: 'late@example.org', text: 'Two' });
    await channel.stored(sessionId, withText('Two'), 30_000);
    await idling;
    write({ from: 'late@example.org', text: 'Three' });
    await channel.stored(sessionId, withText('Three'), 30_000);
    assert.deepEqual(await customerTexts(sessionId), ['One', 'Two', 'Three']);
    const [row] = await query<{ poller: string }>(
      sql`select poller from connectors where channel_id = ${channel.id}`,
    );
    assert.notEqual(row!.poller, dead);
  });

  it('skips a mail that ended the process twice, and administrators are notified', async () => {
    const uid = stage.imap().deliver('From: last@example.org\nMessage-ID: <last@example.org>\n\nLast');
    await channel.stored('email:last@example.org', withText('Last'));
    const tried = JSON.stringify({ [uid + 1]: 2 });
    await leaveToDead(sql`jsonb_set(poll_cursor::jsonb, '{tried}', ${tried}::jsonb)::text`);
    write({ from: 'bad@example.org', text: 'Never read' });
    const isLine = ({ content }: Json) =>
      /^\[E-mail not received: Order 7\. Reason: reading it/.test(content);
    await channel.stored('email:bad@example.org', isLine, 30_000);
    await eventually(async () => {
      const { body } = await channel.service.call('GET', '/notifications', {
        token: channel.service.admin.jwt,
      });
      return body.items.some(
        ({ kind, channelId, body: text }: Json) =>
          kind === 'connector_failed' &&
          channelId === channel.id &&
          /bad@example\.org was skipped/.test(text),
      );
    });
  });
});
