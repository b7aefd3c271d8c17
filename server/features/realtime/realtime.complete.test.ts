/** Nothing missing, no duplicates, in the right order: compared with what was written. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { connectLive, type LiveClient, listen, type Place } from '../../../test/support/live.ts';
import { isFull } from '../../../test/support/sample.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { pruneLog } from './realtime.log.sql.ts';

const writers = 8;
const writesEach = isFull ? 60 : 30;

describe('the live feed is complete', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let urls: string[];
  before(async () => {
    service = await startTestService();
    second = await service.startSecond();
    urls = [await listen(service.app), await listen(second.app)];
  });
  after(async () => {
    await second?.close();
    await service?.close();
  });

  const connect = (index: number, resume: Place | null) =>
    connectLive(urls[index % 2]!, index % 2 ? second.call : service.call, service.admin.jwt, resume);

  /** Writer `w` sends its messages one after the other, in a shared conversation and in its own. */
  const write = async (w: number, written: string[]) => {
    const call = w % 2 ? second.call : service.call;
    for (let n = 0; n < writesEach; n++) {
      const content = `${w}:${n}`;
      const sessionId = n % 2 ? 'shared' : `own-${w}`;
      const answer = await call('POST', '/messages', {
        body: { content, sessionId, fromChannelIdentifier: 'api' },
      });
      assert.equal(answer.status, 202, answer.text);
      written.push(answer.body.userMessage.id);
      const record = await call('POST', '/crm/records', { body: { title: content } });
      assert.equal(record.status, 201, record.text);
      written.push(record.body.recordId);
    }
  };

  /** Disconnected at random moments and resumed in the other process, until everything was written and seen. */
  const follow = async (index: number, isOver: () => boolean) => {
    const frames: Json[] = [];
    let [place, gaps, connections]: [Place | null, number, number] = [null, 0, 0];
    let isLast = false;
    while (!isLast) {
      isLast = isOver();
      const client: LiveClient = await connect(index + connections++, place);
      following++;
      const until = performance.now() + 20 + Math.random() * 150;
      await eventually(() => performance.now() > until && (!isLast || isCurrent(client)), 20_000);
      await client.end();
      assert.equal(client.of('reload').length, 0);
      frames.push(...client.frames.filter((frame) => 'prev' in frame));
      gaps += client.gaps;
      place = client.place;
    }
    return { frames, gaps, connections };
  };

  let lastSeq = 0;
  let following = 0;
  const isCurrent = (client: LiveClient) => client.place.seq >= lastSeq;

  it(`${writers} writers, two processes, readers cut off at random: every change once, in order`, async () => {
    let over = false;
    const written: string[] = [];
    const readers = [0, 1, 2, 3].map((index) => follow(index, () => over));
    await eventually(() => following >= readers.length);
    await Promise.all(Array.from({ length: writers }, (_, w) => write(w, written)));
    // Everything that will be numbered is numbered now.
    const { db } = service.context;
    await eventually(async () => {
      const [row] = await db.query<{ left: number; seq: number }>(sql`
        select (select count(*)::int from live_changes) as left,
          (select seq from live_heads where account_id = ${service.admin.accountId}) as seq`);
      lastSeq = row!.seq;
      return row!.left === 0;
    });
    over = true;
    for (const { frames, gaps, connections } of await Promise.all(readers)) {
      assert.equal(gaps, 0);
      assert.ok(connections > 3, `${connections} connections`);
      const numbers = frames.map((frame) => frame.seq);
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => numbers[0] + at),
      );
      assert.equal(numbers.at(-1), lastSeq);
      const ids = frames.flatMap(({ type, data }) =>
        type === 'message.created'
          ? [data.message.id]
          : type === 'record.created'
            ? [data.record.recordId]
            : [],
      );
      assert.equal(ids.length, new Set(ids).size);
      const missing = written.filter((id) => !ids.includes(id));
      assert.deepEqual(missing, []);
      for (const sessionId of ['shared', 'own-0', 'own-7']) {
        const positions = frames
          .filter(({ type, data }) => type === 'message.created' && data.sessionId === sessionId)
          .map(({ data }) => data.position);
        assert.deepEqual(
          positions,
          positions.map((_, at) => at + 1),
        );
      }
    }
  });

  it('a change that commits late is sent late, but sent', async () => {
    const client = await connect(0, null);
    const { db } = service.context;
    try {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const insert = sql`insert into live_changes (account_id, type, subject_id)
        values (${service.admin.accountId}, 'record.deleted', 'late')`;
      let isWritten = false;
      const late = db.transaction(async (tx) => {
        await tx.query(insert);
        isWritten = true;
        await held;
      });
      await eventually(() => isWritten);
      const { body } = await service.call('POST', '/crm/records', { body: { title: 'Later' } });
      await client.next('record.created', ({ record }) => record.recordId === body.recordId);
      release();
      await late;
      await client.next('record.deleted', ({ recordId }) => recordId === 'late');
      assert.equal(client.gaps, 0);
    } finally {
      await client.end();
    }
  });

  describe('reload', () => {
    it('for a number that is not kept any more', async () => {
      const client = await connect(0, null);
      const { place } = client;
      await client.end();
      for (const title of ['one', 'two']) await service.call('POST', '/crm/records', { body: { title } });
      const { db } = service.context;
      // A call numbers nothing while a process of the service does.
      await eventually(async () => {
        await db.query(sql`select live_tick(0, 0)`);
        return (await db.query(sql`select from live_changes`)).length === 0;
      });
      await db.transaction(async (tx) => {
        await tx.query(sql`update live_log set numbered_at = now() - interval '2 hours'`);
        await tx.query(sql`insert into live_notified values (true, 1000000000)
          on conflict (is_only) do update set position = excluded.position`);
      });
      await pruneLog(db, 60);
      const late = await connect(1, place);
      try {
        await late.next('reload');
        assert.equal(late.of('hello')[0].data.resumed, false);
        const { body } = await service.call('POST', '/crm/records', { body: { title: 'three' } });
        await late.next('record.created', ({ record }) => record.recordId === body.recordId);
        assert.equal(late.gaps, 0);
      } finally {
        await late.end();
      }
    });

    it('for a number of another time: more than there is, or of a database that was restored', async () => {
      const client = await connect(0, null);
      const { place } = client;
      await client.end();
      const elsewhere = '00000000-0000-4000-8000-000000000000';
      for (const wrong of [
        { ...place, seq: place.seq + 1_000 },
        { ...place, epoch: elsewhere },
      ]) {
        const late = await connect(0, wrong);
        await late.next('reload');
        await late.end();
      }
    });

    it('not for a first connection, which continues from its ticket', async () => {
      const { body: place } = await service.call('POST', '/ws/tickets', { token: service.admin.jwt });
      const { body } = await service.call('POST', '/crm/records', { body: { title: 'between' } });
      const client = await connect(0, { seq: place.seq, epoch: place.epoch });
      try {
        await client.next('record.created', ({ record }) => record.recordId === body.recordId);
        assert.equal(client.of('reload').length, 0);
      } finally {
        await client.end();
      }
    });

    it('for everyone when the database has lost the numbers', async () => {
      const client = await connect(0, null);
      try {
        await service.context.db.transaction((tx) =>
          tx.query(sql`truncate live_changes, live_log, live_heads, live_state, live_notified`),
        );
        await client.next('reload');
        const { body } = await service.call('POST', '/crm/records', { body: { title: 'again' } });
        await client.next('record.created', ({ record }) => record.recordId === body.recordId);
        assert.equal(client.gaps, 0);
      } finally {
        await client.end();
      }
    });
  });
});
