import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StringColumn } from './string-column.ts';
import { matchTexts, NO, UNDECIDED, YES } from './text-match.ts';

const never = () => undefined;

describe('a column of texts', () => {
  it('stores each text once, and forgets texts that no row has any more', () => {
    const column = new StringColumn('text');
    for (let edit = 0; edit < 20_000; edit++) column.set(edit % 7, `note number ${edit} ${'x'.repeat(200)}`);
    assert.ok(column.bytes.length < 4 << 20, `${column.bytes.length} bytes`);
    const last = [...column.ids.data.subarray(0, 7)].map((id) => column.textOf(id).slice(0, 17));
    assert.deepEqual(last.sort(), Array.from({ length: 7 }, (_, i) => `note number ${19_993 + i}`).sort());
    column.set(3, 'Ana');
    column.set(4, 'ÁNA');
    assert.equal(column.ids.data[3], column.ids.data[4]);
    assert.equal(column.find('ana'), column.ids.data[3]);
    column.set(3, '');
    assert.equal(column.ids.data[3], 0);
  });

  it('keeps sets after a compaction', () => {
    const column = new StringColumn('set');
    const many = (edit: number) => Array.from({ length: 100 }, (_, i) => `option ${i * edit}`);
    for (let edit = 1; edit < 3_000; edit++) column.set(edit % 3, many(edit));
    assert.deepEqual([...column.setOf(column.ids.data[2]!)].sort(), many(2_999).sort());
  });

  it('leaves a condition on a long text undecided unless its beginning decides it', async () => {
    const column = new StringColumn('text');
    column.set(0, `begin ${'x'.repeat(2_000)} end`);
    column.set(1, 'begin');
    const [long, short] = [column.ids.data[0]!, column.ids.data[1]!];
    const result = async (operator: 'is' | 'contains' | 'startsWith', value: string) => {
      const passes = await matchTexts(column, operator, [value], never);
      return [passes[long], passes[short]];
    };
    assert.deepEqual(await result('contains', 'BEGIN'), [YES, YES]);
    assert.deepEqual(await result('contains', 'end'), [UNDECIDED, NO]);
    assert.deepEqual(await result('startsWith', 'beg'), [YES, YES]);
    assert.deepEqual(await result('startsWith', 'end'), [NO, NO]);
    assert.deepEqual(await result('is', 'begin'), [NO, YES]);
    assert.deepEqual(await result('is', `begin ${'x'.repeat(2_000)} end`), [UNDECIDED, NO]);
  });
});
