import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { limits } from '../../../../contract/limits.ts';
import { importCsv } from '../../../../test/support/import.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { findExportFilter } from './records.export.ts';

const standard = [
  'recordId',
  'title',
  'status',
  'assignedUserIds',
  'channelId',
  'createdAt',
  'updatedAt',
  'labelNames',
];

describe('CSV export', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const newBoard = async (fields: object[] = []): Promise<Json> =>
    (await service.call('POST', '/kanbans', { body: { name: 'Export', slug: undefined, fields } })).body;
  const exported = async (query: string, token = service.token) => {
    const answer = await service.call('GET', `/crm/export${query}`, { token });
    const [header, ...rows] = parse(answer.text, { bom: true }) as string[][];
    return { ...answer, header, rows };
  };
  const create = async (kanban: Json, body: object): Promise<Json> =>
    (await service.call('POST', `/crm/records?kanbanId=${kanban.id}`, { body })).body;

  it('200 a file with the columns of a record and the fields of the board, newest first', async () => {
    const kanban = await newBoard([
      { name: 'Amount', type: 'number' },
      { name: 'When', type: 'datetime' },
      { name: 'Tags', type: 'multiselect', options: ['a', 'b;c'] },
    ]);
    const [amount, when, tags] = ['Amount', 'When', 'Tags'].map(
      (name) => kanban.fields.find((field: Json) => field.name === name).id,
    );
    const first = await create(kanban, {
      title: 'João, "o bom"',
      channelId: 'web',
      assignedUserIds: [service.admin.userId],
      customFields: { [amount]: -5, [when]: 0, [tags]: ['a', 'b;c'] },
    });
    const second = await create(kanban, { title: 'Two\nlines', customFields: { [amount]: 1e21 } });
    const { status, headers, text, header, rows } = await exported(`?kanbanId=${kanban.id}`);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
    assert.match(
      headers['content-disposition']!,
      /^attachment; filename="records-export-\d{4}-\d\d-\d\d\.csv"$/,
    );
    assert.deepEqual(header, [...standard, ...kanban.fields.map((field: Json) => field.name)]);
    const iso = (ms: number) => new Date(ms).toISOString();
    const cells = (record: Json) => [iso(record.createdAt), iso(record.updatedAt), ''];
    const empty = kanban.fields.slice(0, -3).map(() => '');
    assert.deepEqual(rows, [
      [second.recordId, 'Two\nlines', second.status, '', '', ...cells(second), ...empty, '1e+21', '', ''],
      [
        ...[first.recordId, 'João, "o bom"', first.status, service.admin.userId, 'web'],
        ...[...cells(first), ...empty, '-5', '1970-01-01T00:00:00.000Z', 'a;"b;c"'],
      ],
    ]);
    assert.ok(text.startsWith('\ufeffrecordId,title,'));
    assert.ok(text.endsWith('\r\n'));
    assert.ok(text.includes(',"João, ""o bom""",'));
  });

  it('has the names of labels, which an import finds again', async () => {
    const kanban = await newBoard();
    const labelIds: string[] = [];
    for (const name of ['Refund; late', 'VIP']) {
      labelIds.push((await service.call('POST', '/labels', { body: { name } })).body.id);
    }
    await create(kanban, { title: 'Ada', labelIds });
    const { rows } = await exported(`?kanbanId=${kanban.id}`);
    assert.equal(rows[0]![standard.indexOf('labelNames')], '"Refund; late";VIP');
    const file = 'title,labelNames\r\nGrace,vip\r\nHedy,Nothing\r\n';
    const result = await importCsv(service, file, { query: `?kanbanId=${kanban.id}` });
    const grace = await service.call('GET', `/crm/records/${result.rows[0].recordId}`);
    assert.deepEqual(grace.body.labelIds, [labelIds[1]]);
    assert.deepEqual(
      [result.rows[1].status, result.rows[1].error],
      [400, 'labelNames has an unknown label: Nothing'],
    );
  });

  it('with names: the labels of statuses and the names of users', async () => {
    const kanban = await newBoard();
    await service.call('PATCH', `/users/${service.admin.userId}`, { body: { name: '=Ada; Countess' } });
    await create(kanban, { title: 'Ada', assignedUserIds: [service.admin.userId] });
    const { rows } = await exported(`?kanbanId=${kanban.id}&names=true`);
    const [status] = kanban.statuses;
    assert.deepEqual(rows[0]!.slice(1, 4), ['Ada', status.label, '"=Ada; Countess"']);
    assert.notEqual(status.label, status.value);
  });

  it('400 if a text finds too many records, instead of an incomplete file', async () => {
    const [actor, context] = [{ accountId: service.admin.accountId } as Actor, service.context];
    const { defaultKanban } = await context.definitions.fresh(actor.accountId);
    const filterOf = (found: number) => {
      const findIds = async () => Array.from({ length: found }, (_, index) => `${index}`);
      const search = { ...context.search, findIds };
      return findExportFilter({ ...context, search }, actor, defaultKanban, { q: 'many' });
    };
    const most = limits.foundByText - 1;
    const fitting = await filterOf(most);
    assert.equal(fitting && 'ids' in fitting && fitting.ids?.length, most);
    await assert.rejects(filterOf(most + 1), { status: 400, message: /narrow the search/ });
  });

  it('by the value of a field and by a text, as the board filters', async () => {
    const kanban = await newBoard([{ name: 'Company', type: 'text' }]);
    const company = kanban.fields.find((field: Json) => field.name === 'Company').id;
    for (const [title, name] of [
      ['Ada', 'Engines'],
      ['Grace', 'ENGINES'],
      ['Bo', 'Boats'],
    ]) {
      await create(kanban, { title, customFields: { [company]: name } });
    }
    const titles = async (query: string) =>
      (await exported(`?kanbanId=${kanban.id}&${query}`)).rows.map((row) => row[1]).sort();
    const field = `fieldId=${company}&fieldValue`;
    assert.deepEqual(await titles(`${field}=engines`), ['Ada', 'Grace']);
    assert.deepEqual(await titles('q=grce'), ['Grace']);
    assert.deepEqual(await titles(`q=boats&${field}=engines`), []);
    assert.deepEqual(await titles('q='), ['Ada', 'Bo', 'Grace']);
    const refused = await service.call('GET', `/crm/export?kanbanId=${kanban.id}&fieldId=${company}`);
    assert.deepEqual([refused.status, refused.body.message], [400, 'fieldValue is required with fieldId']);
  });

  it('defuses every cell that a spreadsheet would run, but leaves numbers numbers', async () => {
    const kanban = await newBoard([
      { name: '=HYPERLINK("http://evil")', type: 'text' },
      { name: 'Amount', type: 'currency' },
      { name: 'Choice', type: 'select', options: ['-', '@x'] },
    ]);
    const id = (name: string) => kanban.fields.find((field: Json) => field.name === name).id;
    await create(kanban, {
      title: "=cmd|' /C calc'!A0",
      channelId: '+5511999998888',
      customFields: {
        [id('=HYPERLINK("http://evil")')]: '\t =1+1',
        [id('Amount')]: -5.5,
        [id('Choice')]: '@x',
        [id('Phone')]: '+55 11 99999-8888',
        [id('E-mail')]: '=a@example.com',
      },
    });
    const { header, rows } = await exported(`?kanbanId=${kanban.id}`);
    const row = Object.fromEntries(header!.map((name, index) => [name, rows[0]![index]]));
    assert.equal(row.title, "'=cmd|' /C calc'!A0");
    assert.equal(row.channelId, "'+5511999998888");
    assert.equal(row[`'=HYPERLINK("http://evil")`], "'\t =1+1");
    assert.equal(row.Amount, '-5.5');
    assert.equal(row.Choice, "'@x");
    assert.equal(row.Phone, "'+55 11 99999-8888");
    assert.equal(row['E-mail'], "'=a@example.com");
  });

  it('adds the id to names that would be unclear, and an import finds each field by what it has written', async () => {
    const names = ['Twin', 'twin', 'Title', 'plain', 'createdat'];
    const kanban = await newBoard(names.map((name) => ({ name, type: 'text' })));
    const own = kanban.fields.slice(-names.length);
    const label = (field: Json) => (field.name === 'plain' ? 'plain' : `${field.name} (${field.id})`);
    const customFields = Object.fromEntries(own.map((field: Json) => [field.id, `value of ${field.name}`]));
    await create(kanban, { title: 'Ada', customFields });
    const { header, text } = await exported(`?kanbanId=${kanban.id}`);
    assert.deepEqual(header!.slice(-names.length), own.map(label));
    const { rows, summary } = await importCsv(service, text, { query: `?kanbanId=${kanban.id}` });
    assert.deepEqual(summary.ignoredColumns, ['recordId', 'createdAt', 'updatedAt']);
    const copy = (await service.call('GET', `/crm/records/${rows[0].recordId}`)).body;
    assert.deepEqual(copy.customFields, customFields);
  });

  it('has every record once, however many share a moment', async () => {
    const kanban = await newBoard();
    const titles = Array.from({ length: 2_345 }, (_, i) => `Row ${i}`);
    await importCsv(service, `title\n${titles.join('\n')}`, { query: `?kanbanId=${kanban.id}` });
    const { rows } = await exported(`?kanbanId=${kanban.id}`);
    assert.deepEqual(rows.map((row) => row[1]).reverse(), titles);
  });

  it('filters by status and assigned user, and exports the default kanban when none is named', async () => {
    const kanban = await newBoard();
    const status = kanban.statuses[1].value;
    await create(kanban, { title: 'one', status });
    await create(kanban, { title: 'two', assignedUserIds: [service.admin.userId] });
    const titles = async (query: string) =>
      (await exported(`?kanbanId=${kanban.id}${query}`)).rows.map((row) => row[1]);
    assert.deepEqual(await titles(''), ['two', 'one']);
    assert.deepEqual(await titles(`&status=${status}`), ['one']);
    assert.deepEqual(await titles(`&assignedUserId=${service.admin.userId}`), ['two']);
    assert.deepEqual(await titles('&assignedUserId=nonsense'), []);
    assert.deepEqual(await titles('&status=%25'), []);
    await service.call('POST', '/crm/records', { body: { title: 'on the default' } });
    assert.deepEqual(
      (await exported('')).rows.map((row) => row[1]),
      ['on the default'],
    );
  });

  it('200 with nothing but the names for a board that is unknown, closed, or of another account', async () => {
    const kanban = await newBoard();
    await create(kanban, { title: 'secret' });
    await service.call('PUT', `/kanbans/${kanban.id}/members`, { body: { userIds: [service.admin.userId] } });
    const operator = await service.createUser('operator');
    const stranger = await service.createAccount();
    for (const [token, id] of [
      [service.token, 'nonsense'],
      [operator.jwt, kanban.id],
      [stranger.token, kanban.id],
    ]) {
      const answer = await exported(`?kanbanId=${id}`, token);
      assert.deepEqual([answer.status, answer.header, answer.rows], [200, standard, []]);
    }
  });

  it('HEAD has the headers and reads no records', async () => {
    const { status, headers, text } = await service.call('HEAD', '/crm/export');
    assert.deepEqual([status, text], [200, '']);
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
  });

  it('is documented with its import', async () => {
    const { paths } = (await service.call('GET', '/openapi.json')).body;
    assert.ok(paths['/crm/import'].post.requestBody.content['text/csv'].schema.description);
    assert.ok(paths['/crm/import'].post.responses['200'].content['application/x-ndjson'].schema.anyOf);
    assert.ok(paths['/crm/export'].get.responses['200'].content['text/csv']);
  });
});
