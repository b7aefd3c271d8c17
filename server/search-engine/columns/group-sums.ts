// Counts and sums of what a filter finds, for groups by the value of a column. All records are of one board.

import type { Term } from '../match/match.ts';
import type { SearchFilter } from '../query/filter.ts';
import type { Workspace } from '../query/workspace.ts';
import type { Yielder } from '../query/yielder.ts';
import type { SearchIndex } from '../store/index.ts';
import type { Slot } from '../store/records.ts';
import { filteredSlots } from './sorted-page.ts';
import { StringColumn } from './string-column.ts';
import { NumberColumn } from './tables.ts';

export type GroupTotals = { count: number; totals: number[] };
/** `value` is null for records without one; a number as text. */
export type GroupSum = GroupTotals & { value: string | null };

/** A record with several options counts in the group of each of them, and once in `all`. */
export async function sumGroups(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  groupField: string | null,
  sumFields: readonly string[],
  work: Workspace,
  pause: Yielder,
): Promise<{ all: GroupTotals; groups: GroupSum[] }> {
  const none = (): GroupTotals => ({ count: 0, totals: sumFields.map(() => 0) });
  const all = none();
  const groups = new Map<string | null, GroupTotals>();
  for (const slot of await filteredSlots(index, terms, filter, work, pause)) {
    const values = sumFields.map((field) => numberOf(index, slot, field));
    add(all, values);
    if (groupField === null) continue;
    for (const value of groupsOf(index, slot, groupField)) {
      let group = groups.get(value);
      if (!group) {
        group = none();
        groups.set(value, group);
      }
      add(group, values);
    }
  }
  return { all, groups: [...groups].map(([value, sums]) => ({ value, ...sums })) };
}

function add(sums: GroupTotals, values: readonly number[]): void {
  sums.count++;
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) sums.totals[i]! += values[i]!;
}

const columnOf = ({ tables }: SearchIndex, slot: Slot, field: string) =>
  tables.board(tables.boardOf(slot))?.columns.get(field);

function numberOf(index: SearchIndex, slot: Slot, field: string): number {
  const column = columnOf(index, slot, field);
  const row = index.tables.rowOf(slot);
  return column instanceof NumberColumn && row < column.values.length ? column.values.data[row]! : Number.NaN;
}

const empty: readonly null[] = [null];

function groupsOf(index: SearchIndex, slot: Slot, field: string): readonly (string | null)[] {
  if (field === 'status') return [index.statuses.all[index.records.statuses.data[slot]!]!];
  const column = columnOf(index, slot, field);
  if (column instanceof StringColumn) {
    const row = index.tables.rowOf(slot);
    const set = row < column.ids.length ? column.setOf(column.ids.data[row]!) : [];
    return set.length > 0 ? set : empty;
  }
  const value = numberOf(index, slot, field);
  return Number.isNaN(value) ? empty : [String(value)];
}
