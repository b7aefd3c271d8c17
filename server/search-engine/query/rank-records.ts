// Finds all records that a term matches, through the tokens and phone numbers that contain it and the values that
// contain those.

import { hasOwnBit } from '../filters/character-masks.ts';
import { rankOf, type Term } from '../match/match.ts';
import type { SearchIndex } from '../store/index.ts';
import { ONLY } from '../store/postings.ts';
import type { Records, Slot } from '../store/records.ts';
import type { Ranks } from './ranks.ts';
import { eachStretch, rankParts, spreadToValues } from './scan.ts';
import type { Workspace } from './workspace.ts';
import type { Yielder } from './yielder.ts';

/** Ranks every record that the term matches in `work.records`. */
export async function rankRecords(
  index: SearchIndex,
  term: Term,
  work: Workspace,
  pause: Yielder,
): Promise<void> {
  if (isOneLetter(term)) rankByLetter(index.records, term, work.records);
  else {
    await rankParts(index.values, term, work, pause);
    await spreadToRecords(index, work, pause);
  }
}

export const isOneLetter = ({ pattern }: Term): boolean =>
  pattern.length === 1 && hasOwnBit(pattern.codePoints[0]!);

/**
 * Nearly every record has a given letter: the records' own masks answer this ten times faster than the way through
 * values.
 */
function rankByLetter(records: Records, { mask }: Term, ranks: Ranks): void {
  ranks.reset(records.slots);
  const characters = records.characters.data;
  const place = mask.low === 0 ? 1 : 0;
  const bit = mask.low | mask.high;
  for (let slot = 0; slot < records.slots; slot++) {
    if ((characters[slot * 4 + place]! & bit) === 0) continue;
    ranks.improve(slot, rankOf(0, (characters[slot * 4 + 2 + place]! & bit) !== 0));
  }
}

/** From the ranks of `work.tokens` and `work.phones` to the records that currently hold them. */
export async function spreadToRecords(index: SearchIndex, work: Workspace, pause: Yielder): Promise<void> {
  await spreadToValues(index.values, work, pause);
  const { records, recordsOfValue } = index;
  const { touched, best } = work.values;
  const ranks = work.records;
  ranks.reset(records.slots);
  const entries = recordsOfValue.entries.data;
  const pool = recordsOfValue.pool.data;
  await eachStretch(work.values.count, pause, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = touched[i]!;
      const entry = entries[value]!;
      if (entry >= ONLY) improveHolder(records, value, entry - ONLY, best[value]!, ranks);
      else improveHolders(records, value, pool, entry, best[value]!, ranks);
    }
  });
}

function improveHolders(
  records: Records,
  value: number,
  pool: Uint32Array,
  entry: number,
  rank: number,
  ranks: Ranks,
): void {
  const end = entry + pool[entry]!;
  for (let at = entry + 1; at <= end; at++) improveHolder(records, value, pool[at]!, rank, ranks);
}

function improveHolder(records: Records, value: number, slot: Slot, rank: number, ranks: Ranks): void {
  if (rank >= ranks.best[slot]!) return;
  if (records.isDirty(slot) && !records.values.has(slot, value)) return;
  ranks.improve(slot, rank);
}
