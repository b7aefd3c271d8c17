// Answers from the index: a page of a search with its exact total, and counts by status.

import { RecordFilter, type SearchFilter } from './search.filter.ts';
import type { SearchIndex } from './search.index.ts';
import { keepRecords } from './search.keeping.ts';
import { hasOwnBit } from './search.masks.ts';
import { rankOf, type Term } from './search.match.ts';
import type { Matches } from './search.matches.ts';
import { ASKING_A_RECORD, fewestFirst } from './search.order.ts';
import type { Ranks } from './search.ranks.ts';
import type { Slot } from './search.records.ts';
import { eachSlice, rankValues } from './search.scan.ts';
import { selectRange } from './search.select.ts';
import type { Pause } from './search.turns.ts';
import type { Workspace } from './search.workspace.ts';

export type SearchPage = { total: number; items: { id: string; typos: number }[] };
export type StatusCount = { kanbanId: string; status: string; count: number };

export async function searchPage(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  offset: number,
  count: number,
  work: Workspace,
  pause: Pause,
): Promise<SearchPage> {
  const { records } = index;
  const { matches } = work;
  if (terms.length === 0) matches.takeAll(records.slots);
  for (const [i, { term, few }] of fewestFirst(index.values, terms, ASKING_A_RECORD).entries()) {
    if (i > 0 && matches.count <= few) await keepRecords(index, term, work, pause);
    else {
      await rankRecords(index, term, work, pause);
      if (i === 0) matches.takeFirst(work.records);
      else await matches.keep((slot) => work.records.best[slot]!, pause);
    }
  }
  const sizes = keepAllowed(matches, new RecordFilter(index, filter), terms.length);
  const times = terms.length === 0 ? records.createdAt.data : records.updatedAt.data;
  const items: SearchPage['items'] = [];
  let before = 0;
  for (const [matchClass, size] of sizes.entries()) {
    const from = Math.max(0, offset - before);
    const to = Math.min(size, offset + count - before);
    before += size;
    if (from >= to) continue;
    const elements = matches.ofClass(matchClass, size);
    const breakTie = (a: Slot, b: Slot) => records.compareIds(a, b);
    for (const slot of selectRange({ elements, keys: times, breakTie }, from, to)) {
      items.push({ id: records.idOf(slot), typos: matchClass >> 1 });
    }
  }
  return { total: before, items };
}

export function countStatuses(index: SearchIndex, filter: SearchFilter): StatusCount[] {
  const { records, kanbans, statuses } = index;
  const allowed = new RecordFilter(index, filter);
  const width = statuses.all.length;
  const counts = new Uint32Array(kanbans.all.length * width);
  const kanbanOf = records.kanbans.data;
  const statusOf = records.statuses.data;
  for (let slot = 0; slot < records.slots; slot++) {
    if (allowed.passes(slot)) counts[kanbanOf[slot]! * width + statusOf[slot]!]!++;
  }
  const result: StatusCount[] = [];
  counts.forEach((count, place) => {
    if (count === 0) return;
    const kanbanId = kanbans.all[Math.floor(place / width)]!;
    result.push({ kanbanId, status: statuses.all[place % width]!, count });
  });
  return result;
}

/** One letter is in nearly every record: told from the records' own masks, ten times faster than by way of values. */
function rankByCharacter({ records }: SearchIndex, { mask }: Term, ranks: Ranks): void {
  ranks.reset(records.slots);
  const characters = records.characters.data;
  const place = mask.low === 0 ? 1 : 0;
  const bit = mask.low | mask.high;
  for (let slot = 0; slot < records.slots; slot++) {
    if ((characters[slot * 4 + place]! & bit) === 0) continue;
    ranks.improve(slot, rankOf(0, (characters[slot * 4 + 2 + place]! & bit) !== 0));
  }
}

async function rankRecords(index: SearchIndex, term: Term, work: Workspace, pause: Pause): Promise<void> {
  if (term.pattern.length === 1 && hasOwnBit(term.pattern.codePoints[0]!))
    rankByCharacter(index, term, work.records);
  else {
    await rankValues(index.values, term, work, pause);
    await rankByValues(index, work, pause);
  }
}

/** From ranked values to the records that hold them now. */
async function rankByValues(index: SearchIndex, work: Workspace, pause: Pause): Promise<void> {
  const { records, recordsOfValue } = index;
  const { touched, best } = work.values;
  const ranks = work.records;
  ranks.reset(records.slots);
  const counts = recordsOfValue.counts.data;
  const places = recordsOfValue.places.data;
  const pool = recordsOfValue.pool.data;
  await eachSlice(work.values.count, pause, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = touched[i]!;
      const rank = best[value]!;
      const count = counts[value]!;
      const place = places[value]!;
      for (let at = 0; at < count; at++) {
        const slot = count === 1 ? place : pool[place + at]!;
        if (rank >= ranks.best[slot]!) continue;
        if (records.isDirty(slot) && !records.values.has(slot, value)) continue;
        ranks.improve(slot, rank);
      }
    }
  });
}

/** Drops what the caller may not see, in place, and counts the rest by class. */
function keepAllowed(matches: Matches, allowed: RecordFilter, terms: number): Uint32Array {
  const { ids, classes } = matches;
  const sizes = new Uint32Array(Math.max(1, terms) * 4 + 2);
  let kept = 0;
  for (let i = 0; i < matches.count; i++) {
    const slot = ids[i]!;
    if (!allowed.passes(slot)) continue;
    const matchClass = classes[i]!;
    sizes[matchClass]!++;
    ids[kept] = slot;
    classes[kept++] = matchClass;
  }
  matches.count = kept;
  return sizes;
}
