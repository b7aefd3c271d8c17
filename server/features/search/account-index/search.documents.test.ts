import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type FieldType, fieldTypes } from '../../../../contract/limits.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { Definitions, DefinitionsCache } from '../../kanbans/kanbans.ts';
import { createSource, DOCUMENTS_VERSION } from './search.documents.ts';

const valuesOf: Record<FieldType, unknown> = {
  text: 'Åsa & Söhne',
  textarea: 'two\nlines',
  number: 12.5,
  currency: 1_999.99,
  date: '2026-02-28',
  datetime: 1_793_498_400_000,
  select: 'Red',
  multiselect: ['Red', 'Green'],
  boolean: true,
  email: 'Ana@Example.com',
  phone: '+55 (11) 99999-8888',
  url: 'https://example.com/a?b=c',
};
const idOf = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const fieldIds = fieldTypes.map((_, i) => idOf(100 + i));

const rowOf = (number: number, other: object = {}) => ({
  id: idOf(number),
  kanbanId: idOf(50),
  status: 'new',
  title: `Customer ${number}`,
  customFields: Object.fromEntries(fieldTypes.map((type, i) => [fieldIds[i], valuesOf[type]])),
  assignedUserIds: [],
  labelIds: [],
  createdAt: number,
  updatedAt: number + 1,
  placeAt: null,
  placeId: null,
  ...other,
});
const rows = [
  rowOf(1),
  rowOf(2, { customFields: {}, assignedUserIds: [idOf(7)], labelIds: [idOf(8), idOf(9)] }),
  rowOf(3, { placeAt: 5, placeId: idOf(1), customFields: { [fieldIds[8]!]: false, unknown: 'field' } }),
  rowOf(4, { kanbanId: idOf(51) }),
];

test('documents have another version when the same rows become other documents', async () => {
  const fields = new Map(fieldTypes.map((type, i) => [fieldIds[i], { id: fieldIds[i], type }]));
  const kanbans = new Map([[idOf(50), { id: idOf(50), fields }]]);
  const current = { version: 1, kanbans } as unknown as Definitions;
  const answers: object[][] = [[{ position: '1:1:', readAt: 1, definitionsVersion: 1 }], rows];
  const db = { query: async () => answers.shift() ?? [] } as unknown as Db;
  const definitions = { known: async () => current } as unknown as DefinitionsCache;
  const documents: object[] = [];
  for await (const batch of createSource(db, definitions).read(
    idOf(0),
    null,
    new Set(['title', fieldIds[0]!]),
  )) {
    documents.push(...batch.documents);
  }
  assert.equal(documents.length, rows.length);
  const digest = createHash('sha256').update(JSON.stringify(documents)).digest('hex').slice(0, 16);
  assert.deepEqual(
    { version: DOCUMENTS_VERSION, digest },
    { version: 2, digest: 'a78218254e6f7ca4' },
    'The same rows make other documents than before, so files of earlier releases must not be read: raise DOCUMENTS_VERSION, then write both here.',
  );
});
