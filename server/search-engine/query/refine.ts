// Refines the matches of earlier terms with one more term.

import { countBits } from '../filters/character-masks.ts';
import { NO_MATCH, type Term } from '../match/match.ts';
import type { SearchIndex } from '../store/index.ts';
import type { Records, Slot } from '../store/records.ts';
import { PHONE_BIT, type Values } from '../store/values.ts';
import type { Candidates } from './candidates.ts';
import { isOneLetter, rankRecords, spreadToRecords } from './rank-records.ts';
import { eachStretch, formsAgainstDigits, rankOfPart, rankParts } from './scan.ts';
import { type Scan, scanAll } from './shared-scan.ts';
import { SAMPLED_PARTS } from './term-order.ts';
import type { Workspace } from './workspace.ts';
import type { Yielder } from './yielder.ts';

/** The cost of looking at all parts of a record, counted in steps from a part to its values. */
const STEPS_PER_RECORD = 3;

/** Keeps only those records of `work.matches` that the term matches too. */
export async function intersectTerm(
  index: SearchIndex,
  term: Term,
  few: number,
  work: Workspace,
  pause: Yielder,
): Promise<void> {
  const { matches } = work;
  if (matches.count <= few) await rankPartsOfMatches(index, term, work, pause);
  else if (isOneLetter(term)) {
    await rankRecords(index, term, work, pause);
    await matches.refine((slot) => work.records.best[slot]!, pause);
    return;
  } else {
    await rankParts(index.values, term, work, pause);
    if (!hasSteps(index.values, work, matches.count * STEPS_PER_RECORD)) {
      await spreadToRecords(index, work, pause);
      await matches.refine((slot) => work.records.best[slot]!, pause);
      return;
    }
  }
  await matches.refine((slot) => rankOfRecord(index.records, term, work, slot), pause);
}

/** Whether one record matches, judged by its first parts: good enough for an estimate. */
export function seemsToMatch({ records, values }: SearchIndex, term: Term, slot: Slot): boolean {
  if (!mayMatch(records, term, slot)) return false;
  const pool = records.parts.pool.data;
  const first = records.parts.starts.data[slot]!;
  const end = first + Math.min(records.parts.counts.data[slot]!, SAMPLED_PARTS);
  for (let at = first; at < end; at++) if (rankOfPart(values, term, pool[at]!) !== NO_MATCH) return true;
  return false;
}

/** Compares only the parts of these records, each once. */
async function rankPartsOfMatches(
  index: SearchIndex,
  term: Term,
  work: Workspace,
  pause: Yielder,
): Promise<void> {
  const { tokens, phones } = index.values;
  work.tokens.reset(tokens.size);
  work.phones.reset(phones.size);
  await markParts(index, term, work, pause);
  const scanOf = (form: Term) => ({ term: form, mode: form.wordStartsOnly ? 'token' : 'anywhere' }) as const;
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
}

async function markParts(index: SearchIndex, term: Term, work: Workspace, pause: Yielder): Promise<void> {
  const { records, values } = index;
  const { candidates, phoneCandidates, matches } = work;
  candidates.reset(values.tokens.size);
  phoneCandidates.reset(values.phones.size);
  await eachStretch(matches.count, pause, (from, to) => {
    for (let i = from; i < to; i++) {
      const slot = matches.ids[i]!;
      if (mayMatch(records, term, slot)) markPartsOf(records, slot, candidates, phoneCandidates);
    }
  });
}

function markPartsOf({ parts }: Records, slot: Slot, tokens: Candidates, phones: Candidates): void {
  const pool = parts.pool.data;
  const first = parts.starts.data[slot]!;
  const end = first + parts.counts.data[slot]!;
  for (let at = first; at < end; at++) {
    const part = pool[at]!;
    if (part < PHONE_BIT) tokens.add(part);
    else phones.add(part - PHONE_BIT);
  }
}

/** Whether at least this many steps lead from the ranked parts to values. */
function hasSteps({ valuesOfToken }: Values, { tokens, phones }: Workspace, wanted: number): boolean {
  let steps = phones.count;
  for (let i = 0; i < tokens.count && steps < wanted; i++) steps += valuesOfToken.count(tokens.touched[i]!);
  return steps >= wanted;
}

function mayMatch(records: Records, term: Term, slot: Slot): boolean {
  const { low, high } = term.mask;
  const characters = records.characters.data;
  const missing = countBits(low & ~characters[slot * 4]!) + countBits(high & ~characters[slot * 4 + 1]!);
  // The digits of a term may match without the separators between them.
  return missing <= term.typos || term.digits !== null;
}

/** Uses the ranks of `work.tokens` and `work.phones`. */
function rankOfRecord(records: Records, term: Term, { tokens, phones }: Workspace, slot: Slot): number {
  if (!mayMatch(records, term, slot)) return NO_MATCH;
  const ofTokens = tokens.best;
  const ofPhones = phones.best;
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
