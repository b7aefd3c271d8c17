import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Kanban, KanbanField } from '../../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import { readCell, textOfCell } from './cell-text.ts';

const board = {
  statuses: [
    { value: 'new', label: 'Neu' },
    { value: 'won', label: 'Won' },
  ],
} as unknown as Kanban;
const users = [
  { id: 'u1', name: 'João Silva', email: 'joao@example.com' },
  { id: 'u2', name: 'Berg, Ada', email: 'ada@example.com' },
];
const context = { board, users };
const column = (type: KanbanField['type'], options?: string[]) => ({
  id: 'f',
  field: { id: 'f', type, options } as unknown as KanbanField,
  width: 100,
});
const own = (id: string) => ({ id, field: null, width: 100 });

describe('cells as text', () => {
  it('pasted text is read by the type of the column', () => {
    for (const [text, type, value] of [
      ['$1,234.50', 'currency', 1234.5],
      ['(12)', 'number', -12],
      ['R$ 7,5', 'currency', 7.5],
      ['EUR 3', 'currency', 3],
      ['many', 'number', undefined],
      ['Sim', 'boolean', true],
      ['no', 'boolean', false],
      ['perhaps', 'boolean', undefined],
      ['2026-02-28', 'date', '2026-02-28'],
      ['2026-02-30', 'date', undefined],
      ['  kept as it is ', 'text', '  kept as it is '],
      ['', 'number', null],
    ] as const) {
      assert.equal(readCell(text, column(type), context), value, `${text} as ${type}`);
    }
    const options = ['Oslo', 'São Paulo'];
    assert.equal(readCell('sao paulo', column('select', options), context), 'São Paulo');
    assert.equal(readCell('Rome', column('select', options), context), undefined);
    assert.deepEqual(readCell('oslo; Oslo', column('multiselect', options), context), ['Oslo']);
    assert.deepEqual(readCell('a, b', column('multiselect', ['a, b', 'a']), context), ['a, b']);
    assert.deepEqual(readCell('b, a', column('multiselect', ['a', 'b']), context), ['b', 'a']);
    assert.equal(readCell('WON', own('status'), context), 'won');
    assert.equal(readCell('', own('status'), context), undefined);
    assert.equal(readCell(' ', own('title'), context), undefined);
    assert.deepEqual(readCell('Joao Silva', own('assignedUserIds'), context), ['u1']);
    assert.deepEqual(readCell('berg, ada', own('assignedUserIds'), context), ['u2']);
    assert.equal(readCell('Nobody', own('assignedUserIds'), context), undefined);
    assert.deepEqual(readCell('', own('assignedUserIds'), context), []);
  });

  it('what was copied is read as the same value', () => {
    const at = new Date(2026, 4, 31, 9, 30).getTime();
    for (const [type, value, options] of [
      ['number', 1234.5],
      ['date', '2026-05-31'],
      ['datetime', at],
      ['multiselect', ['a, b', 'c'], ['a, b', 'c']],
      ['select', 'a', ['a']],
    ] as const) {
      const record = { customFields: { f: value } } as unknown as CrmRecord;
      const one = column(type, options && [...options]);
      assert.deepEqual(readCell(textOfCell(record, one, context), one, context), value, type);
    }
  });
});
