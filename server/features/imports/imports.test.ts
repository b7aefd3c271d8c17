import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keptImportsOf } from '../../../test/support/kept-imports.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('imports that are kept', () => {
  let service: TestService;
  let imports: ReturnType<typeof keptImportsOf>;
  before(async () => {
    service = await joinTestService({ worker: true });
    imports = keptImportsOf(service);
  });
  after(() => service.close());

  it('guesses what Excel in Brazil wrote, and writes it', async () => {
    const board = await imports.createBoard();
    const file = Buffer.from(
      'Nome do cliente;E-mail;Celular;Valor;Nascimento;Etapa;Empresa;Tags;Interno\r\n' +
        'José da Silva;jose@example.com;(11) 99999-8888;R$ 1.234,56;31/05/1980;Ganho;"Aço; Cia";vip, são paulo;x\r\n' +
        'Ana;;;;;;;;\r\n',
      'latin1',
    );
    const found = await imports.uploaded(file, { kanbanId: board.id, fileName: 'clientes.csv' });
    const targets = Object.fromEntries(found.columns.map((one: Json) => [one.name, one.target]));
    assert.deepEqual(targets, {
      'Nome do cliente': 'title',
      'E-mail': board.field('E-mail'),
      Celular: board.field('Phone'),
      Valor: board.field('Valor'),
      Nascimento: board.field('Birthday'),
      Etapa: 'status',
      Empresa: board.field('Company'),
      Tags: board.field('Tags'),
      Interno: null,
    });
    assert.equal(found.format.encoding, 'windows-1252');
    assert.deepEqual([found.columns[3].numberForm, found.columns[4].dateForm], ['comma', 'dmy']);
    assert.deepEqual(found.duplicates, { by: 'field', fieldId: board.field('E-mail'), action: 'skip' });
    assert.deepEqual([found.state, found.rows, found.fileName], ['draft', 2, 'clientes.csv']);

    const started = await imports.start(found.id);
    assert.equal(started.status, 200, started.text);
    const done = await imports.ended(found.id);
    assert.deepEqual([done.state, done.progress.created, done.progress.rowsDone], ['done', 2, 2]);
    const [ana, jose] = (await imports.recordsOf(board.id)).sort((a, b) => (a.title < b.title ? -1 : 1));
    assert.deepEqual([ana.title, ana.status, ana.customFields], ['Ana', 'new', {}]);
    assert.deepEqual([jose.title, jose.status], ['José da Silva', 'won']);
    assert.deepEqual(jose.customFields, {
      [board.field('E-mail')]: 'jose@example.com',
      [board.field('Phone')]: '(11) 99999-8888',
      [board.field('Valor')]: 1234.56,
      [board.field('Birthday')]: '1980-05-31',
      [board.field('Company')]: 'Aço; Cia',
      [board.field('Tags')]: ['VIP', 'São Paulo'],
    });
  });

  it('guesses by values where names say nothing', async () => {
    const board = await imports.createBoard();
    const found = await imports.uploaded(
      'A,B,C,D\nAda,won,ada@example.com,+44 20 7946 0000\nBo,new,bo@example.com,+1 212 555 0100\n',
      {
        kanbanId: board.id,
      },
    );
    assert.deepEqual(
      found.columns.map((one: Json) => [one.target, one.guessedBy]),
      [
        ['title', 'values'],
        ['status', 'values'],
        [board.field('E-mail'), 'values'],
        [board.field('Phone'), 'values'],
      ],
    );
  });

  it('the preview marks what is wrong cell by cell, and writes nothing', async () => {
    const board = await imports.createBoard();
    const operator = await service.createUser('operator');
    const { id } = await imports.uploaded(
      `title,status,E-mail,Valor,Birthday,owner\nAda,lost,nonsense,12x,2024-02-30,nobody@example.com\n,won,a@example.com,5,2024-02-29,${operator.email}\nBo,won,b@example.com,5,2024-02-29,${operator.email}\nCy,a,b,c,d,e,f\n`,
      { kanbanId: board.id },
    );
    const { body } = await imports.preview(id);
    const errors = body.rows.map((row: Json) => row.cells.map((cell: Json) => cell.error));
    assert.match(errors[0][1], /must be one of Novo, Ganho/);
    assert.equal(errors[0][2], 'must be an e-mail address');
    assert.equal(errors[0][3], 'must be a finite number');
    assert.match(errors[0][4], /must be a date/);
    assert.match(errors[0][5], /unknown user: nobody@example.com/);
    assert.deepEqual([body.rows[1].outcome, body.rows[1].error], ['fail', 'title is required']);
    assert.deepEqual([body.rows[2].outcome, body.rows[2].cells[3].value], ['create', 5]);
    assert.match(body.rows[3].error, /has 7 cells/);
    // The same for clients in another language.
    assert.deepEqual(
      body.rows[0].cells.map((cell: Json) => cell.reason),
      [
        undefined,
        { kind: 'option', options: ['Novo', 'Ganho'] },
        { kind: 'email' },
        { kind: 'number' },
        { kind: 'date' },
        { kind: 'unknownUser', text: 'nobody@example.com' },
      ],
    );
    assert.deepEqual(body.rows[1].reason, { kind: 'titleRequired' });
    assert.deepEqual(body.rows[3].reason, { kind: 'tooManyCells', count: 7, limit: 6 });
    const { problems } = body.check;
    assert.deepEqual(
      problems.find((one: Json) => one.message.includes('e-mail')),
      { column: 2, message: 'must be an e-mail address', reason: { kind: 'email' }, count: 2, firstRow: 1 },
    );
    assert.deepEqual([body.check.rows, body.check.wrong, body.check.isWholeFile], [4, 3, true]);
    assert.deepEqual(await imports.recordsOf(board.id), []);
  });

  it('PATCH maps columns, changes formats and reads the file again', async () => {
    const board = await imports.createBoard();
    const { id } = await imports.uploaded('a,b;c\n1,2;03/04/2024\n', { kanbanId: board.id });
    const read = await imports.change(id, { format: { separator: ';' } });
    assert.deepEqual(
      read.body.columns.map((one: Json) => one.name),
      ['a,b', 'c'],
    );
    const mapped = await imports.change(id, {
      columns: [
        { index: 0, target: 'title' },
        { index: 1, target: board.field('Birthday'), dateForm: 'mdy' },
      ],
      duplicates: { action: 'create' },
    });
    assert.equal(mapped.status, 200, mapped.text);
    const { body } = await imports.preview(id);
    assert.deepEqual(
      body.rows[0].cells.map((cell: Json) => cell.value),
      ['1,2', '2024-03-04'],
    );
    for (const [change, message] of [
      [{ columns: [{ index: 9, target: 'title' }] }, /columns\[0\].index/],
      [{ columns: [{ index: 0, target: 'nonsense' }] }, /columns\[0\].target/],
      [{ columns: [0, 1].map((index) => ({ index, target: 'title' })) }, /used for two columns/],
      [{ duplicates: { by: 'field', fieldId: board.field('Tags') } }, /duplicates.fieldId/],
      [{ timeZone: 'Mars/Olympus' }, /timeZone/],
    ] as const) {
      const refused = await imports.change(id, change);
      assert.equal(refused.status, 400);
      assert.match(refused.body.message, message);
    }
  });

  it('the check counts every outcome, also of rows that the preview does not show', async () => {
    const board = await imports.createBoard();
    const rows = Array.from({ length: 2_000 }, (_, row) => `Name ${row},mail${row % 1_500}@example.com`);
    const { id } = await imports.uploaded(`title,E-mail\n${rows.join('\n')}\nBroken,"x\n`, {
      kanbanId: board.id,
    });
    await imports.change(id, { duplicates: { action: 'skip' } });
    const { check } = (await imports.preview(id)).body;
    assert.deepEqual(check.outcomes, { create: 1_500, update: 0, skip: 500, fail: 1 });
    assert.deepEqual([check.rows, check.wrong, check.isWholeFile], [2_001, 1, true]);
    await imports.start(id);
    const { progress } = await imports.ended(id);
    assert.deepEqual([progress.created, progress.skipped, progress.failed], [1_500, 500, 1]);
  });

  describe('duplicates', () => {
    const file =
      'title,E-mail,Company\nAda L.,ADA@example.com,Engines\nNew,new@example.com,\nNew again,NEW@example.com,Late\n';
    for (const [action, expected] of [
      ['skip', { created: 1, updated: 0, skipped: 2 }],
      ['update', { created: 1, updated: 2, skipped: 0 }],
      ['create', { created: 3, updated: 0, skipped: 0 }],
    ] as const) {
      it(`by a field, to ${action}: also those within the file`, async () => {
        const board = await imports.createBoard();
        const customFields = { [board.field('E-mail')]: 'ada@example.com' };
        const there = await service.call('POST', `/crm/records?kanbanId=${board.id}`, {
          body: { title: 'Ada', customFields },
        });
        const { id } = await imports.uploaded(file, { kanbanId: board.id });
        await imports.change(id, { duplicates: { action } });
        const preview = (await imports.preview(id)).body;
        assert.equal(preview.rows[0].outcome, action);
        assert.equal(preview.rows[0].recordId, action === 'create' ? null : there.body.recordId);
        const { outcomes } = preview.check;
        assert.deepEqual(
          { created: outcomes.create, updated: outcomes.update, skipped: outcomes.skip },
          expected,
        );
        await imports.start(id);
        const { progress } = await imports.ended(id);
        assert.deepEqual(
          { created: progress.created, updated: progress.updated, skipped: progress.skipped },
          expected,
        );
        const titles = (await imports.recordsOf(board.id)).map((record) => record.title).sort();
        if (action === 'skip') assert.deepEqual(titles, ['Ada', 'New']);
        if (action === 'update') assert.deepEqual(titles, ['Ada L.', 'New again']);
        if (action === 'create') assert.deepEqual(titles, ['Ada', 'Ada L.', 'New', 'New again']);
        const events = await service.context.db.query<{ event: string; field_id: string | null }>(
          sql`select event, field_id from events where kanban_id = ${board.id} and event = 'crm_field_update'`,
        );
        // Title, address as typed, and company of Ada; the same of the one that came twice.
        assert.equal(events.length, action === 'update' ? 6 : 0);
      });
    }

    it('by title and channel, as POST /crm/records tells them', async () => {
      const board = await imports.createBoard();
      await service.call('POST', `/crm/records?kanbanId=${board.id}`, {
        body: { title: 'Ada', channelId: 'c' },
      });
      const { id, duplicates } = await imports.uploaded(
        'title,channelId,Company\nADA,c,X\nAda,d,Y\nAda,,Z\n',
        {
          kanbanId: board.id,
        },
      );
      assert.deepEqual(duplicates, { by: 'titleAndChannel', fieldId: null, action: 'skip' });
      await imports.start(id);
      const { progress } = await imports.ended(id);
      assert.deepEqual([progress.created, progress.skipped], [2, 1]);
    });

    it('an update needs no title, and leaves what the file does not say', async () => {
      const board = await imports.createBoard();
      const there = await service.call('POST', `/crm/records?kanbanId=${board.id}`, {
        body: {
          title: 'Ada',
          status: 'won',
          customFields: { [board.field('E-mail')]: 'a@example.com', [board.field('Company')]: 'Old' },
        },
      });
      const { id } = await imports.uploaded('E-mail,Valor,Company\na@example.com,5,\nb@example.com,6,x\n', {
        kanbanId: board.id,
      });
      await imports.change(id, {
        columns: [
          { index: 0, target: board.field('E-mail') },
          { index: 2, target: board.field('Company') },
        ],
        duplicates: { by: 'field', fieldId: board.field('E-mail'), action: 'update' },
      });
      assert.equal((await imports.start(id)).status, 200);
      const { progress } = await imports.ended(id);
      assert.deepEqual([progress.updated, progress.failed], [1, 1]);
      const record = (await service.call('GET', `/crm/records/${there.body.recordId}`)).body;
      assert.deepEqual(
        [
          record.title,
          record.status,
          record.customFields[board.field('Company')],
          record.customFields[board.field('Valor')],
        ],
        ['Ada', 'won', 'Old', 5],
      );
    });
  });

  it('400, 413 and 415 for what is no table', async () => {
    assert.equal((await imports.upload('')).status, 400);
    assert.match((await imports.upload(Buffer.from('504b030414', 'hex'))).body.message, /save it as CSV/);
    assert.equal(
      (await imports.upload('a', {}, { 'content-type': 'multipart/form-data; boundary=x' })).status,
      415,
    );
    assert.equal((await imports.upload('a', {}, { 'content-encoding': 'gzip' })).status, 415);
    assert.equal((await imports.upload('a', {}, { 'idempotency-key': 'k' })).status, 400);
    assert.equal((await imports.upload('title\na\n', { kanbanId: 'nonsense' })).status, 404);
    const { id } = await imports.uploaded('x@example.com,5\n', {});
    assert.equal((await imports.get(id)).format.headerRow, false);
    await imports.change(id, {
      columns: [0, 1].map((index) => ({ index, target: null })),
      duplicates: { by: 'titleAndChannel' },
    });
    const refused = await imports.start(id);
    assert.equal(refused.status, 400);
    assert.match(refused.body.message, /title is required/);
  });
});
