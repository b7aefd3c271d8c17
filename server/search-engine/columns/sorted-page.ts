// Pages of records in the order of a column, and the counts and sums of what a filter finds.

import type { Term } from '../match/match.ts';
import { RecordFilter, type SearchFilter } from '../query/filter.ts';
import type { Matches } from '../query/matches.ts';
import { findMatches } from '../query/query.ts';
import { selectRange } from '../query/select.ts';
import type { Workspace } from '../query/workspace.ts';
import type { Yielder } from '../query/yielder.ts';
import type { SearchIndex } from '../store/index.ts';
import { Order, type Sort, type SortPlace } from './order.ts';
import { NumberColumn } from './tables.ts';

export type SortedItem = { id: string; place: SortPlace; typos: number };
export type SortedPage = { total: number; items: SortedItem[] };
/** By position, or after the last item of the page before. */
export type PageStart = { offset: number } | { after: SortPlace };
export type ColumnSum = { status: string; count: number; total: number };

export async function sortedPage(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  sort: Sort,
  start: PageStart,
  count: number,
  work: Workspace,
  pause: Yielder,
): Promise<SortedPage> {
  const slots = await filteredSlots(index, terms, filter, work, pause);
  const order = new Order(index, sort, slots);
  const total = slots.length;
  let elements = slots;
  let offset = 0;
  if ('after' in start) elements = slots.filter(order.after(start.after));
  else offset = Math.min(start.offset, total);
  const chosen = selectRange(
    { elements, keys: order.keys, breakTie: order.breakTie, isBestFirst: isOldestFirst(sort) },
    offset,
    Math.min(offset + count, elements.length),
  );
  const typosOf = terms.length === 0 ? null : typosOfSlots(work.matches, new Set(chosen));
  const items = chosen.map((slot) => ({
    id: index.records.idOf(slot),
    place: order.placeOf(slot),
    typos: typosOf?.get(slot) ?? 0,
  }));
  return { total, items };
}

/** Slots are roughly in the order of creation. */
const isOldestFirst = ({ field, isDescending }: Sort) =>
  !isDescending && (field === 'createdAt' || field === 'updatedAt');

function typosOfSlots({ ids, classes, count }: Matches, slots: ReadonlySet<number>): Map<number, number> {
  const typos = new Map<number, number>();
  for (let i = 0; i < count; i++) if (slots.has(ids[i]!)) typos.set(ids[i]!, classes[i]! >> 1);
  return typos;
}

/** Counts by status, and the sum of a column. */
export async function sumByStatus(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  sumField: string | null,
  work: Workspace,
  pause: Yielder,
): Promise<ColumnSum[]> {
  const { records, tables, statuses } = index;
  const counts = new Uint32Array(statuses.all.length);
  const totals = new Float64Array(statuses.all.length);
  for (const slot of await filteredSlots(index, terms, filter, work, pause)) {
    const status = records.statuses.data[slot]!;
    counts[status]!++;
    const column = sumField === null ? null : tables.board(tables.boardOf(slot))?.columns.get(sumField);
    if (!(column instanceof NumberColumn)) continue;
    const row = tables.rowOf(slot);
    const value = row < column.values.length ? column.values.data[row]! : Number.NaN;
    if (!Number.isNaN(value)) totals[status]! += value;
  }
  return statuses.all
    .map((status, i) => ({ status, count: counts[i]!, total: totals[i]! }))
    .filter(({ count }) => count > 0);
}

export async function filteredSlots(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  work: Workspace,
  pause: Yielder,
): Promise<Uint32Array> {
  const matches = await findMatches(index, terms, work, pause);
  const allowed = new RecordFilter(index, filter);
  const slots = new Uint32Array(matches.count);
  let kept = 0;
  for (let i = 0; i < matches.count; i++) {
    const slot = matches.ids[i]!;
    if (allowed.passes(slot)) slots[kept++] = slot;
  }
  return slots.subarray(0, kept);
}
