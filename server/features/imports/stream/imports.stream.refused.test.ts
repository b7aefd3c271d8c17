import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { importCsv } from '../../../../test/support/import.ts';
import {
  type Json,
  joinTestService,
  startTestService,
  type TestService,
} from '../../../../test/support/service.ts';

describe('a CSV import that is rejected as a whole', () => {
  let service: TestService;
  let kanban: Json;
  before(async () => {
    service = await joinTestService();
    const fields = [{ name: 'Note', type: 'text' }];
    kanban = (await service.call('POST', '/kanbans', { body: { name: 'Import', fields } })).body;
  });
  after(() => service.close());
  const send = (csv: string | Buffer, options: { token?: string; headers?: object } = {}) =>
    importCsv(service, csv, { query: `?kanbanId=${kanban.id}`, ...options });

  for (const [name, csv, message] of [
    ['no body', '', /^title is required/],
    ['no title column', 'status\nnew\n', /^title is required/],
    ['an unknown column', 'title,Nonsense\na,b\n', /^the column Nonsense is not known/],
    ['another separator', 'title;Note\na;b\n', /separated by commas/],
    ['a column given twice', 'title,Note,note\na,b,c\n', /^the columns Note and note are the same/],
    ['a column without a name', 'title,,Note\na,b,c\n', /^column 2 has no name/],
    ['broken quoting in the first row', '"title"x,Note\na,b\n', /quoting is broken/],
    [
      'a first row that is not UTF-8',
      Buffer.from('title,N\xf6te\na,b\n', 'latin1'),
      /column 2 is not valid UTF-8/,
    ],
    ['a NUL in the first row', 'title,No\0te\na,b\n', /column 2 contains a NUL character/],
    ['UTF-16', Buffer.from('\ufefftitle\na\n', 'utf16le'), /column 1 is not valid UTF-8/],
  ] as const) {
    it(`400 ${name}`, async () => {
      const { status, body } = await send(csv as string);
      assert.equal(status, 400);
      assert.equal(body.code, 'VALIDATION_FAILED');
      assert.match(body.message, message);
    });
  }

  it('400 for a name that two fields have', async () => {
    const twins = [
      { name: 'Twin', type: 'text' },
      { name: 'twin ', type: 'text' },
    ];
    const board = (await service.call('POST', '/kanbans', { body: { name: 'Twins', fields: twins } })).body;
    const { status, body } = await importCsv(service, 'title,Twin\na,b\n', {
      query: `?kanbanId=${board.id}`,
    });
    assert.equal(status, 400);
    assert.match(body.message, /could be any of 2 fields/);
  });

  it('400 for Idempotency-Key and X-Dry-Run, which an import cannot honour', async () => {
    for (const headers of [{ 'idempotency-key': 'k' }, { 'x-dry-run': 'events' }]) {
      const { status, body } = await send('title\nAda\n', { headers });
      assert.equal(status, 400);
      assert.match(body.message, /not supported on imports/);
    }
  });

  it('415 for any other or no content type, charset or compression', async () => {
    for (const headers of [
      { 'content-type': 'application/json' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'text/csv; charset=iso-8859-1' },
      { 'content-encoding': 'gzip' },
    ]) {
      const { status, body } = await send('title\nAda\n', { headers });
      assert.deepEqual([status, body.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    assert.equal((await service.call('POST', '/crm/import')).status, 415);
  });

  it('404 for a board that is unknown, of another account, or closed to the operator', async () => {
    const operator = await service.createUser('operator');
    const stranger = await service.createAccount();
    const closed = (await service.call('POST', '/kanbans', { body: { name: 'Closed' } })).body;
    await service.call('PUT', `/kanbans/${closed.id}/members`, {
      body: { userIds: [service.admin.userId] },
    });
    for (const [token, id] of [
      [service.token, 'nonsense'],
      [stranger.token, kanban.id],
      [operator.jwt, closed.id],
    ]) {
      const answer = await importCsv(service, 'title\nAda\n', { token, query: `?kanbanId=${id}` });
      assert.deepEqual([answer.status, answer.body.message], [404, 'kanban not found']);
    }
  });

  it('leaves the board empty in all of these cases', async () => {
    const { body } = await service.call('GET', `/crm/records?kanbanId=${kanban.id}`);
    assert.deepEqual(body.items, []);
  });

  it('200 for an open board, and for the content type in any spelling', async () => {
    const operator = await service.createUser('operator');
    const headers = { 'content-type': 'text/CSV; charset="UTF-8"' };
    const { rows } = await send('title,Note\nAda,x\n', { token: operator.jwt, headers });
    assert.equal(rows[0].status, 201);
  });
});

describe('the limits', () => {
  it('count an import of many rows, and an export, as one request each', async () => {
    const service = await startTestService({ realLimits: true });
    const titles = Array.from({ length: 300 }, (_, i) => `Row ${i}`).join('\n');
    const imported = await importCsv(service, `title\n${titles}\n`);
    const exported = await service.call('GET', '/crm/export');
    assert.equal(imported.summary.created, 300);
    assert.deepEqual(
      [imported, exported].map(({ headers }) => headers['x-ratelimit-remaining']),
      ['119', '118'],
    );
    await service.close();
  });
});
