import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { importCsv } from '../../../../test/support/import.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';

const fields = [
  { name: 'Note', type: 'text' },
  { name: 'Amount', type: 'currency' },
  { name: 'Active', type: 'boolean' },
  { name: 'Due', type: 'date' },
  { name: 'Seen', type: 'datetime' },
  { name: 'Size', type: 'select', options: ['S', 'M'] },
  { name: 'Tags', type: 'multiselect', options: ['red', 'light blue', 'a;b', 'say "x"'] },
  { name: 'Site', type: 'url' },
];

describe('CSV import', () => {
  let service: TestService;
  let kanban: Json;
  let query: string;
  let idOf: Record<string, string>;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());
  const newBoard = async () => {
    kanban = (await service.call('POST', '/kanbans', { body: { name: 'Import', fields } })).body;
    query = `?kanbanId=${kanban.id}`;
    idOf = Object.fromEntries(kanban.fields.map((field: Json) => [field.name, field.id]));
  };
  before(newBoard);
  const send = (csv: string | Buffer, options: { token?: string; headers?: object } = {}) =>
    importCsv(service, csv, { query, ...options });
  const recordOf = async (row: Json) => (await service.call('GET', `/crm/records/${row.recordId}`)).body;

  describe('the values of a row', () => {
    it('201 a record with each cell turned into the type of its field', async () => {
      const { status, headers, rows, summary } = await send(
        'title,STATUS, note ,Amount,Active,Due,Seen,Size,Tags,Site,Phone,E-mail,channelId\r\n' +
          `Ada,${kanban.statuses[1].value},"x, ""y""",-12.5e1,YES,2024-02-29,2024-01-01T00:00:00+01:00,M,` +
          `"red; light blue ;""a;b"";""say """"x""""""",https://example.com/,'+55 11 99999-8888,ada@example.com,'+55\r\n`,
      );
      assert.equal(status, 200);
      assert.match(headers['content-type']!, /^application\/x-ndjson/);
      assert.deepEqual(rows, [{ row: 1, status: 201, recordId: rows[0].recordId }]);
      assert.deepEqual(summary, {
        rows: 1,
        created: 1,
        existing: 0,
        failed: 0,
        complete: true,
        ignoredColumns: [],
      });
      const record = await recordOf(rows[0]);
      assert.equal(record.title, 'Ada');
      assert.equal(record.status, kanban.statuses[1].value);
      assert.equal(record.channelId, '+55');
      assert.equal(record.kanbanId, kanban.id);
      assert.deepEqual(record.customFields, {
        [idOf.Note!]: 'x, "y"',
        [idOf.Amount!]: -125,
        [idOf.Active!]: true,
        [idOf.Due!]: '2024-02-29',
        [idOf.Seen!]: Date.parse('2023-12-31T23:00:00Z'),
        [idOf.Size!]: 'M',
        [idOf.Tags!]: ['red', 'light blue', 'a;b', 'say "x"'],
        [idOf.Site!]: 'https://example.com/',
        [idOf.Phone!]: '+55 11 99999-8888',
        [idOf['E-mail']!]: 'ada@example.com',
      });
    });

    it('reads a label that is named twice once, and names the column of too many', async () => {
      const label = (await service.call('POST', '/labels', { body: { name: 'Vip' } })).body;
      const many = Array.from({ length: 51 }, (_, index) => `Label ${index}`).join(';');
      const { rows } = await send(`title,labelNames\nTwice,Vip;VIP;Vip\nMany,${many}\n`);
      assert.deepEqual((await recordOf(rows[0])).labelIds, [label.id]);
      assert.equal(rows[1].status, 400);
      assert.match(JSON.stringify(rows[1]), /labelNames must have at most 50 items/);
    });

    it('leaves what an empty cell stands for unset, and the status to the default', async () => {
      const { rows } = await send(
        'title,status,Note,Amount,Tags,channelId,assignedUserIds\nEmpty,,,"", ,,\n',
      );
      const record = await recordOf(rows[0]);
      assert.equal(record.status, kanban.statuses[0].value);
      assert.equal(record.channelId, null);
      assert.deepEqual([record.customFields, record.assignedUserIds], [{}, []]);
    });

    it('reads true, yes, 1, false, no and 0 as booleans, and milliseconds as a datetime', async () => {
      const { rows } = await send('title,Active,Seen\na,true,0\nb,Yes,-1\nc,1,5\nd,FALSE,6\ne,no,7\nf,0,8\n');
      const read = await Promise.all(rows.map(recordOf));
      assert.deepEqual(
        read.map((record) => [record.customFields[idOf.Active!], record.customFields[idOf.Seen!]]),
        [
          [true, 0],
          [true, -1],
          [true, 5],
          [false, 6],
          [false, 7],
          [false, 8],
        ],
      );
    });

    it('finds assigned users by id and by e-mail address', async () => {
      const [one, two] = [await service.createUser('operator'), await service.createUser('operator')];
      const { rows } = await send(
        `title,assignedUserIds\nboth,${one.id}; ${two.email.toUpperCase()};${one.email}\nnobody,x@example.com\n`,
      );
      assert.deepEqual((await recordOf(rows[0])).assignedUserIds, [one.id, two.id]);
      assert.equal(rows[1].status, 400);
      assert.equal(rows[1].error, 'assignedUserIds has an unknown user: x@example.com');
    });

    it('names fields by id too, and accepts a byte order mark', async () => {
      const { rows } = await send(`\ufeff"title",${idOf.Note},Amount (${idOf.Amount})\nAda,hello,3\n`);
      assert.deepEqual((await recordOf(rows[0])).customFields, { [idOf.Note!]: 'hello', [idOf.Amount!]: 3 });
    });

    it('emits crm_record_created for each record, as a single create does', async () => {
      const { rows } = await send('title,Note\nFirst,1\nSecond,2\n');
      const client = new pg.Client(service.connection);
      await client.connect();
      const ids = rows.map((row) => row.recordId);
      const events = await client.query(
        'select event, subject_id, sequence, body from events where subject_id = any($1) order by id',
        [ids],
      );
      await client.end();
      assert.deepEqual(
        events.rows.map((row) => [row.event, row.subject_id, row.sequence]),
        ids.map((id) => ['crm_record_created', id, 1]),
      );
      const body = JSON.parse(events.rows[0].body);
      assert.deepEqual(body.data.record, await recordOf(rows[0]));
    });
  });

  it('makes records that are found at once, by text and by the exact value of a field', async () => {
    const { rows } = await send(
      'title,Note,Amount,Tags\nQuetzalcoatl,Feathered serpent,77,red;a;b\nZebra,,-77,red\n',
    );
    assert.equal(rows[0].status, 400);
    const { rows: found } = await send('title,Note,Amount,Tags\nQuetzalcoatl,Feathered serpent,77,red\n');
    const ids = async (path: string) =>
      (await service.call('GET', `/crm/search?${path}`)).body.items.map((item: Json) => item.recordId);
    assert.deepEqual(await ids('q=quetzalcoatl%20serpent'), [found[0].recordId]);
    assert.deepEqual(await ids(`customFieldId=${idOf.Amount}&customFieldValue=77`), [found[0].recordId]);
    const tagged = await ids(`customFieldId=${idOf.Tags}&customFieldValue=RED`);
    assert.ok(tagged.includes(found[0].recordId) && tagged.includes(rows[1].recordId));
  });

  describe('a wrong row fails alone', () => {
    it('400 with what is wrong, and the rows around it are created', async () => {
      const { rows, summary } = await send(
        Buffer.concat([
          Buffer.from('title,status,Amount,Active,Due,Size,Tags,Site\n'),
          Buffer.from('good,,,,,,,\n'),
          Buffer.from(' ,,,,,,,\n'),
          Buffer.from('bad status,nowhere,,,,,,\n'),
          Buffer.from('"1,5",,"1,5",,,,,\nhex,,0x10,,,,,\nendless,,1e999,,,,,\n'),
          Buffer.from('maybe,,,maybe,,,,\n'),
          Buffer.from('no such day,,,,2023-02-29,,,\n'),
          Buffer.from('no such size,,,,,XL,,\n'),
          Buffer.from('twice,,,,,,red;red,\n'),
          Buffer.from('script,,,,,,,javascript:alert(1)\n'),
          Buffer.from('short,,\n'),
          Buffer.from('long,,,,,,,,\n'),
          Buffer.from('nul\0,,,,,,,\n'),
          Buffer.from('caf\xe9,,,,,,,\n', 'latin1'),
          Buffer.from(`${'x'.repeat(1_001)},,,,,,,\n`),
          Buffer.from('also good,,,,,,,\n'),
        ]),
      );
      const field = (name: string) => `customFields.${idOf[name]} (${name}) must be`;
      assert.deepEqual(
        rows.map((row) => row.error ?? row.status),
        [
          201,
          'title is required',
          `status must be one of ${kanban.statuses.map((status: Json) => status.value).join(', ')}`,
          `${field('Amount')} a finite number`,
          `${field('Amount')} a finite number`,
          `${field('Amount')} a finite number`,
          `${field('Active')} true or false`,
          `${field('Due')} a date of the form YYYY-MM-DD`,
          `${field('Size')} one of S, M`,
          `${field('Tags')} an array of distinct strings`,
          `${field('Site')} an http or https address`,
          'the row must have 8 cells, as the first row has, not 3',
          'the row must have 8 cells, as the first row has, not 9',
          'title contains a NUL character',
          'title is not valid UTF-8',
          'title must have at most 1000 characters',
          201,
        ],
      );
      assert.deepEqual(
        rows.map((row) => row.row),
        rows.map((_, index) => index + 1),
      );
      assert.ok(rows.every((row) => (row.status === 400) === (row.code === 'VALIDATION_FAILED')));
      assert.ok(rows.every((row) => (row.status === 400) === (row.recordId === undefined)));
      assert.deepEqual([summary.rows, summary.created, summary.failed], [17, 2, 15]);
      assert.equal(summary.complete, true);
    });

    it('500 for what only the database refuses, and the others of its batch are created', async () => {
      const client = new pg.Client(service.connection);
      await client.connect();
      await client.query(`alter table records add constraint poison check (title <> 'poison')`);
      const { rows } = await send('title,channelId\nbefore,p\npoison,p\nafter,p\n');
      await client.query('alter table records drop constraint poison');
      await client.end();
      assert.deepEqual(
        rows.map((row) => row.status),
        [201, 500, 201],
      );
      assert.deepEqual([rows[1].code, rows[1].error], ['INTERNAL', 'something went wrong on our side']);
      assert.equal((await recordOf(rows[2])).title, 'after');
    });

    it('a stray quote fails its row; the rows behind it are created', async () => {
      const { rows, summary } = await send('title,Note\none,1\ntwo,2\nthree,"3\nfour,4\n');
      assert.deepEqual(
        rows.map((row) => [row.row, row.status]),
        [
          [1, 201],
          [2, 201],
          [3, 400],
          [4, 201],
        ],
      );
      assert.match(rows[2].error, /quote is opened and never closed/);
      assert.deepEqual([summary.complete, summary.created, summary.failed], [true, 3, 1]);
    });
  });

  describe('records that exist already', () => {
    it('200 with the existing record, be it older or from an earlier row', async () => {
      const body = { title: 'Existing', channelId: 'c1' };
      const older = (await service.call('POST', `/crm/records${query}`, { body })).body;
      const { rows, summary } = await send(
        'title,channelId\n existing ,c1\nNew,c1\nNEW,c1\nNew,c2\nexisting,\n',
      );
      assert.deepEqual(
        rows.map((row) => row.status),
        [200, 201, 200, 201, 201],
      );
      assert.equal(rows[0].recordId, older.recordId);
      assert.equal(rows[2].recordId, rows[1].recordId);
      assert.deepEqual([summary.created, summary.existing, summary.failed], [3, 2, 0]);
    });

    it('one record each when the same file is imported twice at once, in opposite orders', async () => {
      const names = Array.from({ length: 600 }, (_, i) => `Twin ${i}`);
      const file = (list: string[]) => `title,channelId\n${list.map((name) => `${name},twins\n`).join('')}`;
      const [one, two] = await Promise.all([send(file(names)), send(file(names.toReversed()))]);
      assert.deepEqual([one.summary.failed, two.summary.failed], [0, 0]);
      assert.equal(one.summary.created + two.summary.created, names.length);
      const ids = new Set([...one.rows, ...two.rows].map((row) => row.recordId));
      assert.equal(ids.size, names.length);
    });
  });
});
