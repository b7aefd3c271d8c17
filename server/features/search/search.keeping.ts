// One more term, asked of the records that matched all terms before: only their tokens are compared, each once. A record
// costs about 1 µs this way, most of it the way from records to tokens and back; matching its values one by one took 2.5.

import type { SearchIndex } from './search.index.ts';
import { countBits } from './search.masks.ts';
import { NO_MATCH, type Term } from './search.match.ts';
import type { Records, Slot } from './search.records.ts';
import { eachSlice, formsAgainstDigits } from './search.scan.ts';
import { type Scan, scanAll } from './search.sharing.ts';
import type { Pause } from './search.turns.ts';
import { PHONE_BIT } from './search.values.ts';
import type { Workspace } from './search.workspace.ts';

/** Keeps of `work.matches` those records that the term matches too. */
export async function keepRecords(
  index: SearchIndex,
  term: Term,
  work: Workspace,
  pause: Pause,
): Promise<void> {
  const { tokens, phones } = index.values;
  work.tokens.reset(tokens.size);
  work.phones.reset(phones.size);
  await markParts(index, term, work, pause);
  const scanOf = (form: Term) =>
    ({ term: form, manner: form.wordStartsOnly ? 'token' : 'anywhere' }) as const;
  const inTokens: Scan = {
    ...scanOf(term),
    dictionary: tokens,
    among: work.candidates.bits,
    ranks: work.tokens,
  };
  const inPhones: Scan[] = formsAgainstDigits(term).map((form) => ({
    ...scanOf(form),
    dictionary: phones,
    among: work.phoneCandidates.bits,
    ranks: work.phones,
  }));
  await scanAll([inTokens, ...inPhones], work, pause);
  await work.matches.keep((slot) => rankOfRecord(index, term, work, slot), pause);
}

async function markParts(index: SearchIndex, term: Term, work: Workspace, pause: Pause): Promise<void> {
  const { records, values } = index;
  const { candidates, phoneCandidates, matches } = work;
  candidates.reset(values.tokens.size);
  phoneCandidates.reset(values.phones.size);
  const starts = records.parts.starts.data;
  const counts = records.parts.counts.data;
  const pool = records.parts.pool.data;
  await eachSlice(matches.count, pause, (from, to) => {
    for (let i = from; i < to; i++) {
      const slot = matches.ids[i]!;
      if (!mayMatch(records, term, slot)) continue;
      const end = starts[slot]! + counts[slot]!;
      for (let at = starts[slot]!; at < end; at++) {
        const part = pool[at]!;
        if (part < PHONE_BIT) candidates.add(part);
        else phoneCandidates.add(part - PHONE_BIT);
      }
    }
  });
}

function mayMatch(records: Records, term: Term, slot: Slot): boolean {
  const { low, high } = term.mask;
  const characters = records.characters.data;
  const missing = countBits(low & ~characters[slot * 4]!) + countBits(high & ~characters[slot * 4 + 1]!);
  // By its digits a term may match without what stands between them.
  return missing <= term.typos || term.digits !== null;
}

function rankOfRecord({ records }: SearchIndex, term: Term, work: Workspace, slot: Slot): number {
  if (!mayMatch(records, term, slot)) return NO_MATCH;
  const ofTokens = work.tokens.best;
  const ofPhones = work.phones.best;
  const pool = records.parts.pool.data;
  const first = records.parts.starts.data[slot]!;
  const end = first + records.parts.counts.data[slot]!;
  let best = NO_MATCH;
  for (let at = first; at < end; at++) {
    const part = pool[at]!;
    const rank = part < PHONE_BIT ? ofTokens[part]! : ofPhones[part - PHONE_BIT]!;
    if (rank < best) best = rank;
  }
  return best;
}
