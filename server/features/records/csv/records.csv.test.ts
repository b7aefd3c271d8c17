import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { importCsv } from '../../../../test/support/import.ts';
import { runsOf, seed } from '../../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';

const options = ['-', '=1', 'a;b', 'c,d', '"q"', ' spaced ', "'", '😀', 'plain'];
const fields = [
  { name: 'Text', type: 'text' },
  { name: 'Area', type: 'textarea' },
  { name: 'Number', type: 'number' },
  { name: 'Money', type: 'currency' },
  { name: '=Flag', type: 'boolean' },
  { name: 'Day', type: 'date' },
  { name: 'Moment', type: 'datetime' },
  { name: 'One', type: 'select', options },
  { name: 'Many', type: 'multiselect', options },
];

const awkward = fc.string({
  unit: fc.constantFrom(
    "'",
    '"',
    '=',
    '+',
    '-',
    '@',
    '＝',
    ',',
    ';',
    ' ',
    '\t',
    '\r',
    '\n',
    '\u200b',
    'a',
    'é',
    '😀',
  ),
  maxLength: 8,
});
const text = fc.oneof(
  awkward,
  fc.string({ unit: 'binary', maxLength: 20 }).map((value) => value.replaceAll('\0', '')),
);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const values: { [name: string]: fc.Arbitrary<unknown> } = {
  Text: text,
  Area: text,
  Number: number,
  Money: fc.oneof(fc.integer(), number),
  '=Flag': fc.boolean(),
  Day: fc.constantFrom('0000-01-01', '2024-02-29', '9999-12-31'),
  Moment: fc.oneof(
    fc.integer(),
    fc.maxSafeInteger().filter((ms) => Math.abs(ms) <= 8.64e15),
  ),
  One: fc.constantFrom(...options),
  Many: fc.uniqueArray(fc.constantFrom(...options)),
  Phone: fc.constantFrom('+55 11 99999-8888', ' 11 3333 4444 ', '-12345', '(11) 99999'),
  'E-mail': fc.constantFrom('ada@example.com', '+x@example.com', "'=x@example.com"),
};
const record = fc.record({
  title: text.filter((value) => value.trim() !== ''),
  channelId: fc.option(text.filter((value) => value !== '')),
  assigned: fc.boolean(),
  status: fc.nat({ max: 2 }),
  values: fc.record(values, { requiredKeys: [] }),
});

describe('export, then import', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const newBoard = async (): Promise<Json> =>
    (await service.call('POST', '/kanbans', { body: { name: 'Round', fields } })).body;
  const fieldIds = (kanban: Json): { [name: string]: string } =>
    Object.fromEntries(kanban.fields.map((field: Json) => [field.name, field.id]));
  /** Without what depends on the board or the time; fields by name. */
  const contentOf = async (kanban: Json) => {
    const { body } = await service.call('GET', `/crm/records?kanbanId=${kanban.id}&limit=100`);
    const names = Object.fromEntries(kanban.fields.map((field: Json) => [field.id, field.name]));
    return body.items.map((item: Json) => ({
      title: item.title,
      status: item.status,
      channelId: item.channelId,
      assignedUserIds: item.assignedUserIds,
      values: Object.fromEntries(Object.entries(item.customFields).map(([id, value]) => [names[id], value])),
    }));
  };

  it('gives back every record exactly as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 12 }), async (records) => {
        const [from, to] = [await newBoard(), await newBoard()];
        const ids = fieldIds(from);
        const items = records.map(({ title, channelId, assigned, status, values: given }) => ({
          title,
          channelId,
          assignedUserIds: assigned ? [service.admin.userId] : [],
          status: from.statuses[status].value,
          customFields: Object.fromEntries(Object.entries(given).map(([name, value]) => [ids[name], value])),
        }));
        const created = await service.call('POST', `/crm/records/batch?kanbanId=${from.id}`, {
          body: { items },
        });
        for (const result of created.body.results)
          assert.ok([200, 201].includes(result.status), result.message);

        const file = (await service.call('GET', `/crm/export?kanbanId=${from.id}`)).text;
        const { rows, summary } = await importCsv(service, file, { query: `?kanbanId=${to.id}` });
        assert.deepEqual([rows.filter((row) => row.error), summary.complete], [[], true]);
        // The newest is exported first, and so becomes the oldest.
        assert.deepEqual((await contentOf(to)).reverse(), await contentOf(from));
      }),
      { numRuns: runsOf(40), seed },
    );
  });
});
