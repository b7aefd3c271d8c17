// Answers queries from the index: a page of a search with its exact total, and counts by status.

import type { Term } from '../match/match.ts';
import type { SearchIndex } from '../store/index.ts';
import type { Slot } from '../store/records.ts';
import { RecordFilter, type SearchFilter } from './filter.ts';
import type { Matches } from './matches.ts';
import { rankRecords } from './rank-records.ts';
import { intersectTerm, seemsToMatch } from './refine.ts';
import { selectRange } from './select.ts';
import { ASKING_A_RECORD, cheapestFirst } from './term-order.ts';
import type { Workspace } from './workspace.ts';
import type { Yielder } from './yielder.ts';

export type SearchPage = { total: number; items: { id: string; typos: number }[] };
export type StatusCount = { kanbanId: string; status: string; count: number };

export async function searchPage(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  offset: number,
  count: number,
  work: Workspace,
  pause: Yielder,
): Promise<SearchPage> {
  const { records } = index;
  const matches = await findMatches(index, terms, work, pause);
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

/** What all terms match, in `work.matches`; everything without terms. */
export async function findMatches(
  index: SearchIndex,
  terms: Term[],
  work: Workspace,
  pause: Yielder,
): Promise<Matches> {
  const { records } = index;
  const { matches } = work;
  if (terms.length === 0) matches.takeAll(records.slots);
  const searched = {
    size: records.slots,
    isMatch: (term: Term, slot: Slot) => seemsToMatch(index, term, slot),
    asking: ASKING_A_RECORD,
  };
  for (const [i, { term, few }] of cheapestFirst(index.values, terms, searched).entries()) {
    if (i > 0) await intersectTerm(index, term, few, work, pause);
    else {
      await rankRecords(index, term, work, pause);
      matches.takeFirst(work.records);
    }
  }
  return matches;
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
