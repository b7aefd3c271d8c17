// Answers from the index: a page of a search with its exact total, suggestions, counts.

import type { SearchIndex } from './search.index.ts';
import { NO_MATCH, startsWord, type Term, typosOfRank } from './search.match.ts';
import type { Slot } from './search.records.ts';
import { type Pause, type Ranks, rankValues } from './search.scan.ts';
import { selectRange } from './search.select.ts';

export type SearchFilter = {
  kanbanId?: string | undefined;
  status?: string | undefined;
  /** The boards open to an operator; all when it is left out. */
  openKanbanIds?: string[] | undefined;
};
export type SearchPage = { total: number; items: { id: string; typos: number }[] };
/** Which text of the record it is, is told by the text's hash: the index holds no text as it was written. */
export type Suggested = { recordId: string; textHash: number };
export type StatusCount = { kanbanId: string; status: string; count: number };

const SLICE = 16384;
/** A class is twice the typos of all terms, plus one unless one of them stands at the beginning of a word. */
const UNMATCHED = 0xffff;

export async function searchPage(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  offset: number,
  count: number,
  pause: Pause,
): Promise<SearchPage> {
  const classes = new Uint16Array(index.records.slots);
  for (const [i, term] of terms.entries()) {
    const ranks = await rankRecords(index, await rankValues(index.values, term, pause), pause);
    addTerm(classes, ranks, i === 0);
  }
  const sizes = countClasses(index, classes, filter);
  const items: SearchPage['items'] = [];
  let before = 0;
  for (const [matchClass, size] of [...sizes].sort(([a], [b]) => a - b)) {
    const from = Math.max(0, offset - before);
    const to = Math.min(size, offset + count - before);
    before += size;
    if (from >= to) continue;
    const slots = slotsOfClass(index, classes, filter, matchClass, size);
    const order = terms.length === 0 ? byCreation(index) : byChange(index);
    for (const slot of selectRange(slots, from, to, order)) {
      items.push({ id: index.records.idOf(slot), typos: matchClass >> 1 });
    }
  }
  return { total: before, items };
}

/** Values in which every term matches, each text once, each with the record of it that was changed last. */
export async function suggestValues(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  limit: number,
  pause: Pause,
): Promise<Suggested[]> {
  const { records, values } = index;
  const classes = new Uint16Array(values.size);
  for (const [i, term] of terms.entries()) {
    addTerm(classes, (await rankValues(values, term, pause)).best, i === 0);
  }
  const passes = filterOf(index, filter);
  const order = byChange(index);
  const found = new Map<string, Suggested>();
  for (const list of valuesByClass(classes)) {
    const newest = new Map<number, Slot>();
    for (const value of list) {
      const slot = newestRecord(index, value, passes, order);
      if (slot !== null) newest.set(value, slot);
    }
    const placeOf = (value: number) => records.valuesOf(newest.get(value)!).indexOf(value);
    const byRecord = (a: number, b: number) =>
      order(newest.get(a)!, newest.get(b)!) || placeOf(a) - placeOf(b);
    // Twice as many as are wanted, for a text can be two values: as a phone number and as plain text.
    for (const value of selectRange(Uint32Array.from(newest.keys()), 0, limit * 2, byRecord)) {
      const text = values.textKey(value);
      if (found.has(text)) continue;
      found.set(text, { recordId: records.idOf(newest.get(value)!), textHash: values.textHash(value) });
      if (found.size === limit) return [...found.values()];
    }
    const waiting = pause();
    if (waiting) await waiting;
  }
  return [...found.values()];
}

/** Beginnings of words come first here, then fewer typos. */
function valuesByClass(classes: Uint16Array): number[][] {
  const lists = new Map<number, number[]>();
  classes.forEach((matchClass, value) => {
    if (matchClass === UNMATCHED) return;
    const key = (matchClass & 1) * 0x10000 + matchClass;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [value]);
    else list.push(value);
  });
  return [...lists].sort(([a], [b]) => a - b).map(([, list]) => list);
}

export function countStatuses(index: SearchIndex, filter: SearchFilter): StatusCount[] {
  const { records } = index;
  const passes = filterOf(index, filter);
  const counts = new Map<number, number>();
  for (let slot = 0; slot < records.slots; slot++) {
    if (!passes(slot)) continue;
    const key = records.kanbans.data[slot]! * 0x1000000 + records.statuses.data[slot]!;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({
    kanbanId: index.kanbanName(Math.floor(key / 0x1000000)),
    status: index.statusName(key % 0x1000000),
    count,
  }));
}

/** From values to the records that hold them now. */
async function rankRecords(index: SearchIndex, values: Ranks, pause: Pause): Promise<Uint8Array> {
  const { records, recordsOfValue } = index;
  const best = new Uint8Array(records.slots).fill(NO_MATCH);
  const counts = recordsOfValue.counts.data;
  const places = recordsOfValue.places.data;
  const pool = recordsOfValue.pool.data;
  for (let start = 0; start < values.touched.length; start += SLICE) {
    const end = Math.min(start + SLICE, values.touched.length);
    for (let i = start; i < end; i++) {
      const value = values.touched[i]!;
      const rank = values.best[value]!;
      const count = counts[value]!;
      const place = places[value]!;
      for (let at = 0; at < count; at++) {
        const slot = count === 1 ? place : pool[place + at]!;
        if (rank >= best[slot]!) continue;
        if (records.isDirty(slot) && !records.holds(slot, value)) continue;
        best[slot] = rank;
      }
    }
    const waiting = pause();
    if (waiting) await waiting;
  }
  return best;
}

function addTerm(classes: Uint16Array, ranks: Uint8Array, isFirst: boolean): void {
  for (let i = 0; i < classes.length; i++) {
    const rank = ranks[i]!;
    const before = classes[i]!;
    if (rank === NO_MATCH) classes[i] = UNMATCHED;
    else if (isFirst) classes[i] = rank;
    else if (before !== UNMATCHED) {
      const typos = (before >> 1) + typosOfRank(rank);
      classes[i] = typos * 2 + (startsWord(before) || startsWord(rank) ? 0 : 1);
    }
  }
}

function filterOf(index: SearchIndex, filter: SearchFilter): (slot: Slot) => boolean {
  const { records } = index;
  const kanban = filter.kanbanId === undefined ? null : index.kanbanNumber(filter.kanbanId);
  const status = filter.status === undefined ? null : index.statusNumber(filter.status);
  const open = filter.openKanbanIds && new Set(filter.openKanbanIds.map((id) => index.kanbanNumber(id)));
  const kanbans = records.kanbans.data;
  const statuses = records.statuses.data;
  return (slot) =>
    records.isAlive(slot) &&
    (kanban === null || kanbans[slot] === kanban) &&
    (status === null || statuses[slot] === status) &&
    (open === undefined || open.has(kanbans[slot]!));
}

function countClasses(index: SearchIndex, classes: Uint16Array, filter: SearchFilter): Map<number, number> {
  const passes = filterOf(index, filter);
  const sizes = new Map<number, number>();
  for (let slot = 0; slot < classes.length; slot++) {
    const matchClass = classes[slot]!;
    if (matchClass === UNMATCHED || !passes(slot)) continue;
    sizes.set(matchClass, (sizes.get(matchClass) ?? 0) + 1);
  }
  return sizes;
}

function slotsOfClass(
  index: SearchIndex,
  classes: Uint16Array,
  filter: SearchFilter,
  wanted: number,
  size: number,
): Uint32Array {
  const passes = filterOf(index, filter);
  const slots = new Uint32Array(size);
  let count = 0;
  for (let slot = 0; slot < classes.length; slot++) {
    if (classes[slot] === wanted && passes(slot)) slots[count++] = slot;
  }
  return slots;
}

function newestRecord(
  index: SearchIndex,
  value: number,
  passes: (slot: Slot) => boolean,
  order: (a: Slot, b: Slot) => number,
): Slot | null {
  const { records, recordsOfValue } = index;
  const count = recordsOfValue.counts.data[value]!;
  const place = recordsOfValue.places.data[value]!;
  let newest: Slot | null = null;
  for (let at = 0; at < count; at++) {
    const slot = count === 1 ? place : recordsOfValue.pool.data[place + at]!;
    if (!passes(slot) || (newest !== null && order(slot, newest) > 0)) continue;
    if (records.isDirty(slot) && !records.holds(slot, value)) continue;
    newest = slot;
  }
  return newest;
}

const byChange =
  ({ records }: SearchIndex) =>
  (a: Slot, b: Slot) =>
    records.updatedAt.data[b]! - records.updatedAt.data[a]! || records.compareIds(a, b);

const byCreation =
  ({ records }: SearchIndex) =>
  (a: Slot, b: Slot) =>
    records.createdAt.data[b]! - records.createdAt.data[a]! || records.compareIds(a, b);
