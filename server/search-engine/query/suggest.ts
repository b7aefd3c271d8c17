// Suggestions are values, not records: each text that all terms match, with the record of it that was changed last.

import { NO_MATCH, type Term } from '../match/match.ts';
import type { SearchIndex } from '../store/index.ts';
import { ONLY, type Postings } from '../store/postings.ts';
import type { Records, Slot } from '../store/records.ts';
import { RecordFilter, type SearchFilter } from './filter.ts';
import type { Matches } from './matches.ts';
import { eachStretch, rankOfValue, rankValues } from './scan.ts';
import { selectRange } from './select.ts';
import { ASKING_A_VALUE, cheapestFirst, SAMPLED_PARTS } from './term-order.ts';
import type { Workspace } from './workspace.ts';
import type { Yielder } from './yielder.ts';

/** The text's hash identifies which text of the record it is: the index does not keep texts as written. */
export type Suggested = { recordId: string; textHash: number };

export async function suggestValues(
  index: SearchIndex,
  terms: Term[],
  filter: SearchFilter,
  limit: number,
  work: Workspace,
  pause: Yielder,
): Promise<Suggested[]> {
  const { records, values } = index;
  if (terms.length === 0) return [];
  const { matches } = work;
  const searched = {
    size: values.size,
    isMatch: (term: Term, value: number) =>
      values.starts.data[value + 1]! - values.starts.data[value]! <= SAMPLED_PARTS &&
      rankOfValue(values, term, value) !== NO_MATCH,
    asking: ASKING_A_VALUE,
  };
  for (const [i, { term, few }] of cheapestFirst(values, terms, searched).entries()) {
    if (i > 0 && matches.count <= few)
      await matches.refine((value) => rankOfValue(values, term, value), pause);
    else {
      await rankValues(values, term, work, pause);
      if (i === 0) matches.takeFirst(work.values);
      else await matches.refine((value) => work.values.best[value]!, pause);
    }
  }
  const allowed = new RecordFilter(index, filter);
  const found = new Map<string, Suggested>();
  for (const list of valuesByClass(matches, terms.length)) {
    const newest = await newestRecords(index, list, allowed, pause);
    const placeOf = (at: number) => records.values.of(newest.slots[at]!).indexOf(newest.values[at]!);
    const elements = new Uint32Array(newest.slots.length);
    const keys = new Float64Array(newest.slots.length);
    for (let at = 0; at < keys.length; at++) {
      elements[at] = at;
      keys[at] = records.updatedAt.data[newest.slots[at]!]!;
    }
    const best = selectRange(
      {
        elements,
        keys,
        breakTie: (a, b) => records.compareIds(newest.slots[a]!, newest.slots[b]!) || placeOf(a) - placeOf(b),
      },
      0,
      // Twice as many as wanted, because one text can be two values: a phone number and plain text.
      limit * 2,
    );
    for (const at of best) {
      const text = values.textKey(newest.values[at]!);
      if (found.has(text)) continue;
      found.set(text, {
        recordId: records.idOf(newest.slots[at]!),
        textHash: values.textHash(newest.values[at]!),
      });
      if (found.size === limit) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** Word starts come first here, then fewer typos. */
function valuesByClass({ count, ids, classes }: Matches, terms: number): number[][] {
  const lists: number[][] = Array.from({ length: terms * 4 + 2 }, () => []);
  for (let i = 0; i < count; i++) lists[classes[i]!]!.push(ids[i]!);
  return [...lists.filter((_, at) => at % 2 === 0), ...lists.filter((_, at) => at % 2 === 1)];
}

/** The values that an allowed record holds, each with the record that was changed last. */
async function newestRecords(
  { records, recordsOfValue }: SearchIndex,
  values: number[],
  allowed: RecordFilter,
  pause: Yielder,
): Promise<{ values: number[]; slots: Slot[] }> {
  const result: { values: number[]; slots: Slot[] } = { values: [], slots: [] };
  await eachStretch(values.length, pause, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[i]!;
      const newest = newestRecord(records, recordsOfValue, value, allowed);
      if (newest === -1) continue;
      result.values.push(value);
      result.slots.push(newest);
    }
  });
  return result;
}

/** -1 if none of them is allowed. */
function newestRecord(
  records: Records,
  { entries, pool }: Postings,
  value: number,
  allowed: RecordFilter,
): Slot | -1 {
  const updatedAt = records.updatedAt.data;
  const entry = entries.data[value]!;
  const isOnly = entry >= ONLY;
  const count = isOnly ? 1 : pool.data[entry]!;
  let newest = -1;
  for (let at = 1; at <= count; at++) {
    const slot = isOnly ? entry - ONLY : pool.data[entry + at]!;
    if (!allowed.passes(slot)) continue;
    if (newest !== -1) {
      const later = updatedAt[slot]! - updatedAt[newest]!;
      if (later < 0 || (later === 0 && records.compareIds(slot, newest) >= 0)) continue;
    }
    if (records.isDirty(slot) && !records.values.has(slot, value)) continue;
    newest = slot;
  }
  return newest;
}
