import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { type OpenImport, openImport } from '../../../../test/support/import.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The first pass only makes buffers free to be swept. */
async function memoryInUse(): Promise<number> {
  collectGarbage();
  await new Promise(setImmediate);
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const manyRows = 2_000;
const noteLength = 10_000;

describe('streaming a CSV import', () => {
  let service: TestService;
  let address: string;
  let database: pg.Client;
  before(async () => {
    service = await startTestService();
    address = await service.app.listen({ host: '127.0.0.1', port: 0 });
    database = new pg.Client(service.connection);
    await database.connect();
  });
  after(async () => {
    await database.end();
    await service.close();
  });

  /** A separate board for each test, so that its records can be counted. */
  const open = async (token = service.token): Promise<OpenImport & { kanbanId: string }> => {
    const fields = [{ name: 'Note', type: 'textarea' }];
    const { body } = await service.call('POST', '/kanbans', { body: { name: 'Stream', fields } });
    return { ...openImport(address, token, `?kanbanId=${body.id}`), kanbanId: body.id };
  };
  const stored = async (kanbanId: string): Promise<{ id: string; title: string }[]> =>
    (await database.query('select id, title from records where kanban_id = $1 order by id', [kanbanId])).rows;

  it('answers a row as soon as it is committed, while the rest is still to come', async () => {
    const job = await open();
    await job.send('title,Note\nfirst,1\n');
    const first = await job.line();
    assert.deepEqual(await stored(job.kanbanId), [{ id: first.recordId, title: 'first' }]);
    await job.send('second,');
    await job.send('2\r\n');
    assert.equal((await job.line()).row, 2);
    job.request.end('third,3');
    const [third, { summary }] = await job.rest();
    assert.deepEqual([third.row, third.status, summary.rows, summary.complete], [3, 201, 3, true]);
  });

  it(`answers ${manyRows} rows with what the database then has, in bounded memory`, async () => {
    const job = await open();
    const note = 'n'.repeat(noteLength);
    const sending = (async () => {
      await job.send('title,Note\n');
      for (let i = 1; i <= manyRows; i++) await job.send(`Row ${i},${i % 10 === 0 ? '"\0"' : note}\n`);
      job.request.end();
    })();
    const lines: Json[] = [];
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (let line = await job.line(); line !== null; line = await job.line()) {
      lines.push(line);
      if (lines.length % 500 !== 0) continue;
      const memory = await memoryInUse();
      least = Math.min(least, memory);
      most = Math.max(most, memory);
    }
    await sending;
    const { summary } = lines.pop();
    assert.deepEqual(
      [summary.rows, summary.created, summary.failed],
      [manyRows, manyRows * 0.9, manyRows * 0.1],
    );
    assert.deepEqual(
      lines
        .filter((line) => line.status === 201)
        .map((line) => ({ id: line.recordId, title: `Row ${line.row}` })),
      await stored(job.kanbanId),
    );
    const sent = manyRows * noteLength;
    assert.ok(most - least < 8e6, `kept ${most - least} bytes of ${sent}`);
    const events = await database.query('select count(*)::int as n from events where kanban_id = $1', [
      job.kanbanId,
    ]);
    assert.equal(events.rows[0].n, summary.created);
  });

  it('serves a client that fetches nothing before it has sent everything', async () => {
    const job = await open();
    await job.send('title\n');
    for (let i = 1; i <= 1_500; i++) await job.send(`Row ${i}\n`);
    job.request.end();
    await once(job.request, 'finish');
    const { summary } = (await job.rest()).at(-1);
    assert.equal(summary.created, 1_500);
  });

  it('400 reaches a client that goes on sending', async () => {
    const job = await open();
    await job.send('title,Nonsense\n');
    for (let i = 0; i < 2_000; i++) await job.send(`${'x'.repeat(1_000)},y\n`);
    job.request.end();
    const [answer] = await job.rest();
    assert.match(answer.message, /Nonsense is not known/);
  });

  it('writes no half row and nothing more once the client has left', async () => {
    const connected = once(service.app.server, 'connection') as Promise<[Socket]>;
    const job = await open();
    await job.send('title,Note\nfirst,1\n');
    const [socket] = await connected;
    const left = new Promise((resolve) => socket.once('close', resolve));
    await job.line();
    // More than fits into the connection, then a row that never ends.
    const row = `Row,${'x'.repeat(300)}\n`;
    for (let i = 0; i < 300; i++) job.request.write(row.repeat(100));
    job.request.write('half');
    await job.line();
    job.request.destroy();
    await left;
    const count = (await stored(job.kanbanId)).length;
    for (let i = 0; i < 20; i++) await service.call('GET', '/crm/records');
    const rows = await stored(job.kanbanId);
    // The batch that was being written when the client left is finished.
    assert.ok(rows.length <= count + 250 && rows.length < 30_000, `${count}, then ${rows.length}`);
    assert.ok(rows.every((row) => row.title !== 'half'));
  });

  it('ends when the token is revoked meanwhile', async () => {
    const { id, token } = await service.createToken(service.admin.jwt);
    const job = await open(token);
    await job.send('title\nbefore\n');
    assert.equal((await job.line()).status, 201);
    await service.call('DELETE', `/api-tokens/${id}`, { token: service.admin.jwt });
    await job.send('after\n');
    const [{ summary }] = await job.rest();
    assert.deepEqual([summary.complete, summary.stopped.row, summary.stopped.status], [false, 2, 401]);
    assert.equal((await stored(job.kanbanId)).length, 1);
  });

  it('follows the board as it changes: a deleted field is refused from then on, a deleted board ends it', async () => {
    const job = await open();
    const { body: kanban } = await service.call('GET', `/kanbans/${job.kanbanId}`);
    const note = kanban.fields.find((field: Json) => field.name === 'Note').id;
    await job.send('title,Note\nbefore,x\n');
    const before = await job.line();
    await service.call('DELETE', `/crm/fields/${note}`);
    await job.send('after,x\n');
    const after = await job.line();
    assert.deepEqual(
      [after.status, after.error],
      [400, `customFields.${note} is not a field of this kanban`],
    );
    await service.call('DELETE', `/crm/records/${before.recordId}`);
    await service.call('DELETE', `/kanbans/${job.kanbanId}`);
    await job.send('too late,\n');
    const [{ summary }] = await job.rest();
    assert.deepEqual(
      [summary.stopped.row, summary.stopped.status, summary.stopped.error],
      [3, 404, 'kanban not found'],
    );
  });

  it('writes each row once although its connections are cut again and again', async () => {
    const job = await open();
    const total = 1_500;
    const sending = (async () => {
      await job.send('title\n');
      for (let i = 1; i <= total; i++) await job.send(`Row ${i}\n`);
      job.request.end();
    })();
    const lines: Json[] = [];
    for (let line = await job.line(); line !== null; line = await job.line()) {
      lines.push(line);
      if (lines.length % 500 !== 250) continue;
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'talkboard' and datname = current_database()`,
      );
    }
    await sending;
    const { summary } = lines.pop();
    assert.deepEqual([summary.complete, summary.created, summary.failed], [true, total, 0]);
    assert.deepEqual(
      lines.map((line) => ({ id: line.recordId, title: `Row ${line.row}` })),
      await stored(job.kanbanId),
    );
  });

  it('may take longer than other requests', async () => {
    const connected = once(service.app.server, 'connection') as Promise<[Socket]>;
    const job = await open();
    await job.send('title\nearly\n');
    await job.line();
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    service.app.server.emit('clientError', late, (await connected)[0]);
    job.request.end('late\n');
    const [line, { summary }] = await job.rest();
    assert.deepEqual([line.status, summary.complete], [201, true]);
  });
});

describe('a service that stops during an import', () => {
  it('ends the import after its batch and says from which row on', async () => {
    const service = await startTestService();
    const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const job = openImport(address, service.token);
    await job.send('title\nbefore\n');
    assert.equal((await job.line()).status, 201);
    const closed = service.app.close();
    const [{ summary }] = await job.rest();
    assert.deepEqual([summary.complete, summary.stopped.row, summary.stopped.status], [false, 2, 503]);
    job.request.end();
    await closed;
    await service.close();
  });
});
