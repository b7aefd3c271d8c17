/**
 * kill -9 at random moments of an import: it continues after each restart, and in the end every row is written once,
 * with its event and a correct result. Meanwhile other requests are answered, and the memory of the service stays
 * small.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 20 : 1;
const rows = isFull ? 100_000 : 3_000;
const measuredRows = isFull ? 100_000 : 3_000;

describe('kill -9 during an import', () => {
  let workshop: Workshop;
  let token: string;
  /** One after the other: each case goes on with the last one of the case before. */
  let program: Program;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());
  const call = (program: Program, method: string, path: string, body?: object) =>
    program.call(method, path, body, { authorization: `Bearer ${token}` });

  /** Every tenth row fails; the rest are new. */
  const fileOf = (count: number, name: string) => {
    let text = 'Nome;E-mail;Nota\r\n';
    for (let i = 1; i <= count; i++) {
      text += `${name} ${i};${i % 10 === 0 ? 'wrong' : `${name}${i}@example.com`};Conheceu na feira, pediu preço ${i}\r\n`;
    }
    return text;
  };
  const upload = async (program: Program, text: string): Promise<string> => {
    const answer = await fetch(`${program.baseUrl}/crm/imports?fileName=f.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: text,
    });
    const body = (await answer.json()) as { id: string };
    assert.equal(answer.status, 201, JSON.stringify(body));
    return body.id;
  };
  const rowsDone = async (id: string): Promise<{ done: number; state: string }> => {
    const [row] = await workshop.query<{ done: number; state: string }>(
      'select rows_done as done, state from imports where id = $1',
      [id],
    );
    return row!;
  };

  async function checkRows(program: Program, id: string, count: number, name: string): Promise<void> {
    const results = await fetch(`${program.baseUrl}/crm/imports/${id}/results`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const lines = (await results.text()).trimEnd().split('\r\n').slice(1);
    assert.equal(lines.length, count, 'a result for each row');
    const stored = await workshop.query<{ id: string; title: string }>(
      `select r.id, r.title from records r where r.title like $1 and exists (
        select from events e where e.account_id = r.account_id and e.subject_id = r.id::text
          and e.event = 'crm_record_created')`,
      [`${name} %`],
    );
    const byId = new Map(stored.map((record) => [record.id, record.title]));
    assert.equal(byId.size, count - Math.floor(count / 10), 'created once each, with its event');
    for (const [index, line] of lines.entries()) {
      const [title, , , result, recordId] = line.split(';');
      assert.equal(title, `${name} ${index + 1}`);
      if ((index + 1) % 10 === 0) assert.equal(result, 'failed', line);
      else assert.deepEqual([result, byId.get(recordId!)], ['created', title], line);
    }
    const [events] = await workshop.query<{ n: number }>(
      `select count(*)::int as n from events e join records r on r.id::text = e.subject_id where r.title like $1`,
      [`${name} %`],
    );
    assert.equal(events!.n, byId.size, 'one event each');
  }

  it(`${measuredRows} rows: memory grows by less than 100 MB, other requests are answered meanwhile`, async () => {
    // New: what an earlier import left in memory would hide this one's.
    program = await workshop.start();
    token = await createToken(program);
    const resident = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))![1]);
    // What the service loads with its first requests is not the import's.
    for (let i = 0; i < 50; i++) await call(program, 'GET', '/crm/records');
    const before = resident();
    let most = before;
    const text = fileOf(measuredRows, 'much');
    const began = performance.now();
    const id = await upload(program, text);
    const uploaded = performance.now();
    await call(program, 'POST', `/crm/imports/${id}/start`);
    const waits: number[] = [];
    let progress = { state: 'running', progress: { rowsPerSecond: 0, rowsDone: 0, failed: 0 } };
    while (progress.state === 'running') {
      const answer = await call(program, 'GET', `/crm/imports/${id}`);
      progress = answer.body;
      waits.push(answer.ms);
      most = Math.max(most, resident());
      await sleep(20);
    }
    assert.equal(progress.state, 'done');
    await checkRows(program, id, measuredRows, 'much');
    most = Math.max(most, resident());
    const grown = (most - before) / 1024;
    waits.sort((a, b) => a - b);
    const p95 = waits[Math.floor(waits.length * 0.95)]!;
    console.log(
      `${measuredRows} rows: looked at in ${Math.round(uploaded - began)} ms, ${progress.progress.rowsPerSecond} rows/s, ` +
        `${Math.round(before / 1024)} MB + ${Math.round(grown)} MB, other requests p95 ${p95.toFixed(1)} ms, ` +
        `longest ${waits.at(-1)!.toFixed(1)} ms`,
    );
    assert.ok(grown < 100, `grew by ${grown} MB`);
    assert.ok(p95 < (isFull ? 250 : 1_000), `p95 ${p95} ms`);
  });

  it(`${kills} kills: continues after each, no row twice, none lost`, async () => {
    const id = await upload(program, fileOf(rows, 'kill'));
    await call(program, 'PATCH', `/crm/imports/${id}`, { duplicates: { action: 'create' } });
    assert.equal((await call(program, 'POST', `/crm/imports/${id}/start`)).status, 200);
    let killed = 0;
    for (; killed < kills; killed++) {
      const before = (await rowsDone(id)).done;
      const { state } = await eventually(
        'the import gets on',
        async () => {
          const now = await rowsDone(id);
          return (now.done > before || now.state !== 'running') && now;
        },
        60_000,
      );
      if (state !== 'running') break;
      await sleep(workshop.random() * 200);
      await program.kill();
      program = await workshop.start();
    }
    assert.ok(killed > 0, 'the import was killed in the middle');
    await eventually('the import is done', async () => (await rowsDone(id)).state === 'done', 300_000);
    await checkRows(program, id, rows, 'kill');
    console.log(`${killed} kills in an import of ${rows} rows, none lost, none twice`);
  });

  it('a service that is stopped hands the import on at once', async () => {
    const id = await upload(program, fileOf(rows, 'stop'));
    await call(program, 'PATCH', `/crm/imports/${id}`, { duplicates: { action: 'create' } });
    await call(program, 'POST', `/crm/imports/${id}/start`);
    await eventually('the import runs', async () => (await rowsDone(id)).done >= 200, 30_000);
    assert.equal((await rowsDone(id)).state, 'running');
    assert.equal(await program.stop(), 0);
    program = await workshop.start();
    await eventually('the import is done', async () => (await rowsDone(id)).state === 'done', 300_000);
    await checkRows(program, id, rows, 'stop');
    assert.equal(await program.stop(), 0);
  });
});
