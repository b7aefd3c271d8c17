import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { throughFile } from '../../../test/support/index-file.ts';
import { isFull, runsOf, seed } from '../../../test/support/sample.ts';
import {
  type OracleFilter,
  type OracleRecord,
  oracleCounts,
  oracleSearch,
  oracleSuggest,
} from '../../../test/support/search-oracle.ts';
import { compileQuery } from '../match/match.ts';
import { countStatuses, searchPage } from '../query/query.ts';
import { suggestValues } from '../query/suggest.ts';
import { Workspace } from '../query/workspace.ts';
import { type SearchDocument, SearchIndex } from './index.ts';
import { hashOfText } from './values.ts';

const RUNS = runsOf(150);
const never = () => undefined;
const work = new Workspace();

const KANBANS = ['10000000-0000-7000-8000-000000000001', '10000000-0000-7000-8000-000000000002'];
const STATUSES = ['new', 'won'];
const TYPES = ['text', 'phone', 'email', 'textarea', 'multiselect'];
const ALPHABETS = ['abc1.', 'aábç -@', 'жшя0- ', 'ας. ', '山川田 ', '👍🏽🎉x ', '0123+-() '];
/** Few texts, so that records share values and lists grow beyond the immediate clean-up limit. */
const SHARED = [
  'Reichel GmbH',
  'Ana Silva',
  'ANA SILVA',
  '+55 11 99999-8888',
  'São Paulo',
  'ana.silva@example.com',
];

const textFrom = (alphabet: string) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }).map((list) => list.join(''));
const anyText = fc.oneof(fc.constantFrom(...SHARED), fc.constantFrom(...ALPHABETS).chain(textFrom));
const anyQuery = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...ALPHABETS).chain((alphabet) => textFrom(alphabet)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'ana',
      'anna silva',
      'riechel',
      'reichl gmhb',
      '99999-8888',
      '119999',
      'a',
      '@exampel',
      'sao',
    ),
  },
  { weight: 1, arbitrary: fc.constant('') },
);
const anyRecord = fc
  .record({
    number: fc.nat({ max: 40 }),
    kanbanId: fc.constantFrom(...KANBANS),
    status: fc.constantFrom(...STATUSES),
    title: anyText,
    times: fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 })),
    values: fc.array(fc.tuple(fc.nat({ max: TYPES.length - 1 }), anyText, anyText), { maxLength: 4 }),
  })
  .map(
    ({ number, kanbanId, status, title, times, values }): OracleRecord => ({
      id: `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      kanbanId,
      status,
      title,
      createdAt: times[0],
      updatedAt: times[0] + times[1],
      fields: values.map(([type, a, b], i) => ({
        fieldId: `field ${i}`,
        type: TYPES[type]!,
        value: TYPES[type] === 'multiselect' ? [...new Set([a, b])] : a,
      })),
    }),
  );
const anyFilter: fc.Arbitrary<OracleFilter> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        kanbanId: fc.constantFrom(...KANBANS, 'unknown'),
        status: fc.constantFrom(...STATUSES, 'unknown'),
        openKanbanIds: fc.subarray(KANBANS),
      },
      { requiredKeys: [] },
    ),
  },
);
const anyStep = fc.oneof(
  { weight: 8, arbitrary: anyRecord.map((record) => ({ kind: 'upsert' as const, record })) },
  { weight: 3, arbitrary: anyRecord.map(({ id }) => ({ kind: 'remove' as const, id })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...KANBANS).map((kanbanId) => ({ kind: 'removeKanban' as const, kanbanId })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'file' as const }) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(anyQuery, anyFilter, fc.nat({ max: 3 }), fc.integer({ min: 1, max: 20 }))
      .map(([q, filter, page, size]) => ({ kind: 'query' as const, q, filter, page, size })),
  },
);

function documentOf(record: OracleRecord): SearchDocument {
  const texts = record.fields
    .filter(({ type }) => type !== 'textarea')
    .flatMap(({ type, value }) =>
      (Array.isArray(value) ? value : [value]).map((text) => ({
        text: String(text),
        isPhone: type === 'phone',
      })),
    );
  return { ...record, texts: [{ text: record.title, isPhone: false }, ...texts] };
}

async function checkQuery(
  index: SearchIndex,
  records: OracleRecord[],
  q: string,
  filter: OracleFilter,
  page: number,
  size: number,
): Promise<void> {
  const terms = compileQuery(q);
  const expected = oracleSearch(records, q, filter);
  const found = await searchPage(index, terms, filter, page * size, size, work, never);
  assert.equal(found.total, expected.length, `total of ${q}`);
  assert.deepEqual(found.items, expected.slice(page * size, page * size + size), `page of ${q}`);
  if (terms.length > 0) {
    const suggested = await suggestValues(index, terms, filter, size, work, never);
    const wanted = oracleSuggest(records, q, size, filter);
    assert.deepEqual(
      suggested,
      wanted.map(({ text, recordId }) => ({ recordId, textHash: hashOfText(text) })),
      `suggestions of ${q}: ${JSON.stringify(wanted)}`,
    );
  }
  const counts: Record<string, number> = {};
  for (const { status, count } of countStatuses(index, filter))
    counts[status] = (counts[status] ?? 0) + count;
  assert.deepEqual(counts, oracleCounts(records, filter));
}

describe('the index answers as the oracle does', () => {
  test('after any sequence of creates, updates, deletes and ways through a file', async () => {
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 80 }), async (steps) => {
        let index = new SearchIndex();
        const records = new Map<string, OracleRecord>();
        for (const step of steps) {
          if (step.kind === 'upsert') {
            records.set(step.record.id, step.record);
            index.upsert(documentOf(step.record));
          } else if (step.kind === 'remove') {
            records.delete(step.id);
            index.remove(step.id);
          } else if (step.kind === 'removeKanban') {
            for (const [id, { kanbanId }] of records) if (kanbanId === step.kanbanId) records.delete(id);
            index.removeKanban(step.kanbanId);
          } else if (step.kind === 'file') {
            index = await throughFile(index);
          } else {
            await checkQuery(index, [...records.values()], step.q, step.filter, step.page, step.size);
            if (step.q !== '') matches += oracleSearch([...records.values()], step.q).length;
          }
        }
        assert.equal(index.records.alive, records.size);
      }),
      { seed, numRuns: RUNS },
    );
    assert.ok(
      matches > (isFull ? RUNS : 10),
      `only ${matches} matches: the generator no longer tests anything`,
    );
  });

  test('while hundreds of records leave and rejoin the same long lists of values', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 299 }), fc.nat({ max: 5 }), fc.boolean()), {
          minLength: 900,
          maxLength: 1500,
        }),
        async (edits) => {
          let index = new SearchIndex();
          const records = new Map<string, OracleRecord>();
          for (const [i, [number, pick, removed]] of edits.entries()) {
            const id = `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
            const record: OracleRecord = {
              id,
              kanbanId: KANBANS[number % 2]!,
              status: 'new',
              title: SHARED[pick]!,
              createdAt: number,
              updatedAt: i,
              fields: [{ fieldId: 'field', type: 'text', value: SHARED[(pick + 1) % 6]! }],
            };
            if (removed && i > 500) records.delete(id);
            else records.set(id, record);
            if (removed && i > 500) index.remove(id);
            else index.upsert(documentOf(record));
            if (i % 300 === 299) index = await throughFile(index);
          }
          for (const q of ['reichel', 'ana', 'silva', 'sao', '99999', 'x']) {
            await checkQuery(index, [...records.values()], q, {}, 0, 20);
          }
        },
      ),
      { seed, numRuns: runsOf(5) },
    );
  });

  test('and records that were filled field by field take at most twice as much as read at once', () => {
    const fields = Array.from({ length: 15 }, (_, field) => field);
    const documentWith = (number: number, count: number): SearchDocument => ({
      id: `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      kanbanId: KANBANS[0]!,
      status: 'new',
      createdAt: 0,
      updatedAt: 0,
      texts: fields
        .slice(0, count)
        .map((field) => ({ text: `first${field} second${field} third${number}`, isPhone: false })),
    });
    const grown = new SearchIndex();
    const fresh = new SearchIndex();
    for (let number = 0; number < 2_000; number++) {
      for (const field of fields) grown.upsert(documentWith(number, field + 1));
      fresh.upsert(documentWith(number, fields.length));
    }
    assert.ok(grown.byteLength < 2 * fresh.byteLength, `${grown.byteLength} and ${fresh.byteLength}`);
  });

  test('and edits that go back and forth take no more and more memory', () => {
    const index = new SearchIndex();
    const edit = (round: number) => {
      for (let number = 0; number < 200; number++) {
        index.upsert({
          id: `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`,
          kanbanId: KANBANS[0]!,
          status: 'new',
          createdAt: 0,
          updatedAt: round,
          texts: SHARED.slice(0, 1 + ((number + round) % 6)).map((text) => ({ text, isPhone: false })),
        });
      }
    };
    for (let round = 0; round < 50; round++) edit(round);
    const settled = index.byteLength;
    for (let round = 0; round < 500; round++) edit(round);
    assert.equal(index.byteLength, settled);
  });
});
