import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { tableOf } from './columns.ts';
import { createDb, type Db } from './db.ts';
import { sql } from './sql.ts';

interface Thing {
  id: number;
  name: string;
  tags: string[];
  data?: Record<string, unknown> | null;
  isOld?: boolean;
}

const things = tableOf<Thing>(
  {
    id: ['id', 'int'],
    name: ['name', 'text'],
    tags: [{ name: 'tags', type: 'text[]', value: ({ tags }) => tags.toSorted() }],
    data: ['data', 'jsonb'],
    isOld: [{ name: 'is_old', type: 'boolean', value: ({ isOld }) => isOld || null, byDefault: false }],
  },
  [{ name: 'length', type: 'int', value: ({ name }) => name.length }],
);

describe('the columns of a table', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection });
    await db.transaction((tx) =>
      tx.query(sql`create table things (id int, name text, tags text[], data jsonb, length int,
        is_old boolean not null default false)`),
    );
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const stored = (...given: Thing[]) =>
    db.transaction(async (tx) => {
      await tx.query(sql`
        insert into things (${things.names}) select ${things.namesOf('g')} from ${things.rows(given, 'g')}`);
      return tx.query(sql`delete from things returning ${things.names}`);
    });

  it('are written from one list, for one row and for several', async () => {
    const one = { id: 1, name: 'a "quoted" \\ name', tags: ['b', 'a'], data: { deep: [1, null] } };
    const expected = {
      id: 1,
      name: 'a "quoted" \\ name',
      tags: ['a', 'b'],
      data: { deep: [1, null] },
      is_old: false,
      length: 17,
    };
    assert.deepEqual(await stored(one), [expected]);
    const two = { id: 2, name: '', tags: [] };
    assert.deepEqual(await stored(one, two), [
      expected,
      { id: 2, name: '', tags: [], data: null, is_old: false, length: 0 },
    ]);
    assert.deepEqual(await stored(), []);
  });

  it('are left out of an insert if no row has a value, and have their default if only some have one', async () => {
    const insert = (...rows: Thing[]) =>
      db.transaction(async (tx) => {
        const given = things.given(rows);
        await tx.query(sql`insert into things (${given.names}) select ${given.names} from ${given.rows}`);
        const stored = await tx.query(sql`delete from things returning id, data, is_old`);
        return { names: given.names.strings[0], stored };
      });
    const plain = { id: 1, name: '', tags: [] };
    assert.deepEqual(await insert(plain, { ...plain, id: 2, isOld: false, data: null }), {
      names: 'id, name, tags, length',
      stored: [
        { id: 1, data: null, is_old: false },
        { id: 2, data: null, is_old: false },
      ],
    });
    assert.deepEqual(await insert(plain, { ...plain, id: 2, isOld: true }, { ...plain, id: 3, data: {} }), {
      names: 'id, name, tags, data, is_old, length',
      stored: [
        { id: 1, data: null, is_old: false },
        { id: 2, data: null, is_old: true },
        { id: 3, data: {}, is_old: false },
      ],
    });
  });

  it('have few lists of columns: when there are many already, an insert names all', async () => {
    interface Wide {
      id: number;
      bits: number;
    }
    const bits = Array.from({ length: 5 }, (_, bit) => bit);
    const wide = tableOf<Wide>({
      id: ['id', 'int'],
      bits: bits.map((bit) => ({
        name: `bit_${bit}`,
        type: 'int' as const,
        value: ({ bits: set }: Wide) => ((set >> bit) & 1 ? bit : null),
      })),
    });
    const lists = Array.from({ length: 32 }, (_, set) => wide.given([{ id: set, bits: set }]).names);
    assert.equal(new Set(lists).size, 13);
    assert.equal(lists.at(-2)!.strings[0], 'id, bit_0, bit_1, bit_2, bit_3, bit_4');
    assert.equal(wide.given([{ id: 1, bits: 1 }]).names.strings[0], 'id, bit_0');
  });

  it('store half of a surrogate pair as the driver would, also deep inside, and a text that looks like one as it is', async () => {
    const [row] = await stored({ id: 3, name: 'half \ud83d', tags: [], data: { a: ['\ude00 half'] } });
    assert.deepEqual([row!.name, row!.data], ['half \ufffd', { a: ['\ufffd half'] }]);
    const [other] = await stored({ id: 4, name: 'no \\ud83d, and 😀', tags: [] });
    assert.equal(other!.name, 'no \\ud83d, and 😀');
  });

  it('do not compile without one of the properties', () => {
    // @ts-expect-error `tags` has no column.
    tableOf<Thing>({
      id: ['id', 'int'],
      name: ['name', 'text'],
      data: ['data', 'jsonb'],
      isOld: ['is_old', 'boolean'],
    });
    // @ts-expect-error `data` has no column: a property that may be left out needs one too.
    tableOf<Thing>({
      id: ['id', 'int'],
      name: ['name', 'text'],
      tags: ['tags', 'text[]'],
      isOld: ['is_old', 'boolean'],
    });
  });
});
