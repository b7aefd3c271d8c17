import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import type { Db } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { createHostPaces } from './host-pace.ts';
import { pruneHosts } from './knowledge.hosts.sql.ts';

describe('the pace of a host', () => {
  let service: TestService;
  let db: Db;
  before(async () => {
    service = await joinTestService();
    db = service.context.db;
  });
  after(() => service.close());

  const { signal } = new AbortController();
  const rowsOf = (host: string) =>
    db.query<{ turns: unknown[] }>(sql`select turns from knowledge_hosts where host = ${host}`);

  it('is four requests a second and two at once over two processes', async () => {
    const processes = [createHostPaces(db), createHostPaces(db)];
    const began = performance.now();
    const starts: number[] = [];
    let open = 0;
    let most = 0;
    const request = async () => {
      starts.push(performance.now());
      most = Math.max(most, ++open);
      await eventually(() => most === 2);
      open--;
    };
    const asked = [0, 1, 0, 1, 0, 1].map((n) => processes[n]!.take('two.example', 0, signal, request));
    await Promise.all(asked);
    assert.equal(most, 2);
    for (const [n, at] of starts.entries()) assert.ok(at - began >= n * 250 - 1, `${n}: ${at - began}`);
    assert.deepEqual(await rowsOf('two.example'), [{ turns: [] }]);
  });

  it('waits as long as robots.txt asks for, for each host', async () => {
    const paces = createHostPaces(db);
    const began = performance.now();
    const times: Record<string, number[]> = { 'a.example': [], 'b.example': [] };
    const ask = (host: string) =>
      paces.take(host, 600, signal, async () => void times[host]!.push(performance.now() - began));
    await Promise.all([ask('a.example'), ask('a.example'), ask('b.example')]);
    assert.ok(times['a.example']![1]! >= 599);
    assert.ok(times['b.example']![0]! < times['a.example']![1]!);
  });

  it('a process that has died holds nobody up for long, and one that gives up nobody', async () => {
    const host = 'dead.example';
    const dead = (until: string) => sql`
      insert into knowledge_hosts values (${host}, now(), jsonb_build_array(
        jsonb_build_object('holder', 'x', 'until', extract(epoch from now() + ${until}::interval) * 1000),
        jsonb_build_object('holder', 'y', 'until', extract(epoch from now() + ${until}::interval) * 1000)))
      on conflict (host) do update set turns = excluded.turns`;
    await db.transaction((tx) => tx.query(dead('1 hour')));
    const stopped = new AbortController();
    const paces = createHostPaces(db);
    const waits = paces.take(host, 0, stopped.signal, async () => assert.fail('it was not its turn'));
    await eventually(async () => (await rowsOf(host))[0]!.turns.length === 3);
    stopped.abort(new Error('the run has ended'));
    await assert.rejects(waits, /the operation was aborted|the run has ended/i);
    assert.equal((await rowsOf(host))[0]!.turns.length, 2);
    await db.transaction((tx) => tx.query(dead('-1 second')));
    assert.equal(await paces.take(host, 0, signal, async () => 'asked'), 'asked');
    assert.deepEqual(await rowsOf(host), [{ turns: [] }]);
  });

  it('a host that nobody asks is forgotten', async () => {
    await db.transaction((tx) =>
      tx.query(sql`insert into knowledge_hosts values ('old.example', now() - interval '11 minutes', '[]'),
        ('new.example', now(), '[]')`),
    );
    await pruneHosts(db);
    assert.deepEqual([await rowsOf('old.example'), (await rowsOf('new.example')).length], [[], 1]);
  });
});
