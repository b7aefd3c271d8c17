// Counts and sums of what a filter finds, for groups by the value of a column. All records are of one board.

import type { Term } from '../match/match.ts';
import type { SearchFilter } from '../query/filter.ts';
import { eachStretch } from '../query/scan.ts';
import type { Workspace } from '../query/workspace.ts';
import type { Yielder } from '../query/yielder.ts';
import type { SearchIndex } from '../store/index.ts';
import type { Slot } from '../store/records.ts';
import { filteredSlots } from './sorted-page.ts';
import { StringColumn } from './string-column.ts';
import { type Column, NumberColumn } from './tables.ts';

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
  const slots = await filteredSlots(index, terms, filter, work, pause);
  const { tables } = index;
  const columns = slots.length === 0 ? undefined : tables.board(tables.boardOf(slots[0]!))?.columns;
  const summed = sumFields.map((field) => columns?.get(field));
  const groupsOf = groupField === null ? null : grouping(index, groupField, columns?.get(groupField));
  const values = new Float64Array(sumFields.length);
  const sum = (slot: Slot) => {
    const row = tables.rowOf(slot);
    for (let i = 0; i < values.length; i++) values[i] = numberIn(summed[i], row);
    add(all, values);
    if (!groupsOf) return;
    for (const value of groupsOf(slot, row)) {
      let group = groups.get(value);
      if (!group) {
        group = none();
        groups.set(value, group);
      }
      add(group, values);
    }
  };
  await eachStretch(slots.length, pause, (from, to) => {
    for (let i = from; i < to; i++) sum(slots[i]!);
  });
  return { all, groups: [...groups].map(([value, sums]) => ({ value, ...sums })) };
}

function add(sums: GroupTotals, values: Float64Array): void {
  sums.count++;
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) sums.totals[i]! += values[i]!;
}

const numberIn = (column: Column | undefined, row: number): number =>
  column instanceof NumberColumn && row < column.values.length ? column.values.data[row]! : Number.NaN;

type GroupsOf = (slot: Slot, row: number) => readonly (string | null)[];
const empty: readonly null[] = [null];

function grouping(index: SearchIndex, field: string, column: Column | undefined): GroupsOf {
  if (field === 'status') {
    const { statuses, records } = index;
    return (slot) => [statuses.all[records.statuses.data[slot]!]!];
  }
  if (column instanceof StringColumn) {
    return (_, row) => {
      const set = row < column.ids.length ? column.setOf(column.ids.data[row]!) : empty;
      return set.length > 0 ? set : empty;
    };
  }
  return (_, row) => {
    const value = numberIn(column, row);
    return Number.isNaN(value) ? empty : [String(value)];
  };
}
