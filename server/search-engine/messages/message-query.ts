// One page of a search over messages, with its exact total. Texts are compared once, however many messages have them:
// a value is a distinct text, and its slots are the messages with it.

import { NO_MATCH, rankOf, type Term } from '../match/match.ts';
import { Matches } from '../query/matches.ts';
import { isOneLetter } from '../query/rank-records.ts';
import type { Ranks } from '../query/ranks.ts';
import { eachStretch, rankOfValue, rankParts, spreadToValues } from '../query/scan.ts';
import { selectRange } from '../query/select.ts';
import { ASKING_A_VALUE, cheapestFirst, SAMPLED_PARTS } from '../query/term-order.ts';
import { Workspace } from '../query/workspace.ts';
import type { Yielder } from '../query/yielder.ts';
import { ONLY } from '../store/postings.ts';
import type { Values } from '../store/values.ts';
import { CompiledFilter, type MessageFilter } from './message-filter.ts';
import type { MessageIndex } from './message-index.ts';

export type MessagePage = { total: number; items: { id: string; typos: number }[] };

type RankOf = (value: number) => number;

export class MessageWorkspace extends Workspace {
  /** Messages by slot, while `matches` has values. */
  readonly hits = new Matches();
}

/** Fewer typos first, then matches at a word start, then the newest. Without terms: the newest. */
export async function searchMessages(
  index: MessageIndex,
  terms: Term[],
  filter: MessageFilter,
  offset: number,
  count: number,
  work: MessageWorkspace,
  pause: Yielder,
): Promise<MessagePage> {
  if (terms.length > 0) await matchValues(index, terms, work, pause);
  const allowed = new CompiledFilter(index, filter);
  const sizes =
    terms.length === 0
      ? await takeAll(index, allowed, work, pause)
      : await takeMatches(index, allowed, terms.length, work, pause);
  const items: MessagePage['items'] = [];
  const keys = index.times.data;
  const breakTie = (a: number, b: number) => index.ids.compare(a, b);
  let before = 0;
  for (const [matchClass, size] of sizes.entries()) {
    const from = Math.max(0, offset - before);
    const to = Math.min(size, offset + count - before);
    before += size;
    if (from >= to) continue;
    const elements = work.hits.ofClass(matchClass, size);
    for (const slot of selectRange({ elements, keys, breakTie }, from, to))
      items.push({ id: index.ids.at(slot), typos: matchClass >> 1 });
  }
  return { total: before, items };
}

/** Leaves the values that all terms match in `work.matches`. */
async function matchValues(
  index: MessageIndex,
  terms: Term[],
  work: MessageWorkspace,
  pause: Yielder,
): Promise<void> {
  const { values } = index;
  const { matches } = work;
  const searched = {
    size: values.size,
    isMatch: (term: Term, value: number) =>
      values.starts.data[value + 1]! - values.starts.data[value]! <= SAMPLED_PARTS &&
      rankOfValue(values, term, value) !== NO_MATCH,
    asking: ASKING_A_VALUE,
  };
  for (const [i, { term, few }] of cheapestFirst(values, terms, searched).entries()) {
    if (isOneLetter(term)) {
      const rank = rankByLetter(index, term);
      if (i === 0) await takeRanked(values.size, matches, rank, pause);
      else await matches.refine(rank, pause);
      continue;
    }
    if (i > 0 && matches.count <= few) {
      await matches.refine((value) => rankOfValue(values, term, value), pause);
      continue;
    }
    await rankParts(values, term, work, pause);
    const looked = (i === 0 ? values.size : matches.count) * STEPS_PER_VALUE;
    if (!hasSteps(values, work.tokens, looked)) {
      await spreadToValues(values, work, pause);
      if (i === 0) matches.takeFirst(work.values);
      else await matches.refine((value) => work.values.best[value]!, pause);
      continue;
    }
    // Reading the values in storage order is faster than the lists of tokens that most values have.
    const rank = rankByParts(values, work.tokens.best);
    if (i === 0) await takeRanked(values.size, matches, rank, pause);
    else await matches.refine(rank, pause);
  }
}

/** Nearly every message has a given letter: the values' own masks tell faster than the way through tokens. */
function rankByLetter({ characters }: MessageIndex, { mask }: Term): RankOf {
  const masks = characters.data;
  const place = mask.low === 0 ? 1 : 0;
  const bit = mask.low | mask.high;
  return (value) => {
    if ((masks[value * 4 + place]! & bit) === 0) return NO_MATCH;
    return (masks[value * 4 + 2 + place]! & bit) === 0 ? IN_WORD : AT_WORD_START;
  };
}

const AT_WORD_START = rankOf(0, true);
const IN_WORD = rankOf(0, false);

/** The cost of looking at all parts of a value, counted in steps from a token to one of its values. */
const STEPS_PER_VALUE = 1.5;

/** Whether at least this many steps lead from the ranked tokens to values. */
function hasSteps({ valuesOfToken }: Values, tokens: Ranks, wanted: number): boolean {
  let steps = 0;
  for (let i = 0; i < tokens.count && steps < wanted; i++) steps += valuesOfToken.count(tokens.touched[i]!);
  return steps >= wanted;
}

/** Messages have no phone numbers of their own: every part is a token. */
function rankByParts(
  { parts: { data: parts }, starts: { data: starts } }: Values,
  ranks: Uint8Array,
): RankOf {
  return (value) => {
    const end = starts[value + 1]!;
    let best = NO_MATCH;
    for (let at = starts[value]!; at < end; at++) {
      const rank = ranks[parts[at]!]!;
      if (rank >= best) continue;
      best = rank;
      if (rank === 0) return 0;
    }
    return best;
  };
}

/** The values that have a rank, as the matches of the first term. */
async function takeRanked(size: number, matches: Matches, rankOf: RankOf, pause: Yielder): Promise<void> {
  matches.reserve(size);
  const { ids, classes } = matches;
  let count = 0;
  await eachStretch(size, pause, (from, to) => {
    let taken = count;
    for (let value = from; value < to; value++) {
      const rank = rankOf(value);
      ids[taken] = value;
      classes[taken] = rank;
      if (rank !== NO_MATCH) taken++;
    }
    count = taken;
  });
  matches.count = count;
}

/** The allowed messages of the matching values, counted by class. */
async function takeMatches(
  index: MessageIndex,
  allowed: CompiledFilter,
  terms: number,
  { matches, hits }: MessageWorkspace,
  pause: Yielder,
): Promise<Uint32Array> {
  const sizes = new Uint32Array(terms * 4 + 2);
  const entries = index.slotsOfValue.entries.data;
  const pool = index.slotsOfValue.pool.data;
  hits.reserve(index.slots);
  const { ids, classes } = hits;
  let count = 0;
  const takeList = (entry: number, matchClass: number, from: number): number => {
    let taken = from;
    const end = entry + pool[entry]!;
    for (let at = entry + 1; at <= end; at++) {
      if (!allowed.passes(pool[at]!)) continue;
      ids[taken] = pool[at]!;
      classes[taken++] = matchClass;
    }
    return taken;
  };
  await eachStretch(matches.count, pause, (from, to) => {
    const values = matches.ids;
    let taken = count;
    for (let i = from; i < to; i++) {
      const entry = entries[values[i]!]!;
      const matchClass = matches.classes[i]!;
      const before = taken;
      if (entry < ONLY) taken = takeList(entry, matchClass, taken);
      else if (allowed.passes(entry - ONLY)) {
        ids[taken] = entry - ONLY;
        classes[taken++] = matchClass;
      }
      sizes[matchClass]! += taken - before;
    }
    count = taken;
  });
  hits.count = count;
  return sizes;
}

async function takeAll(
  { slots }: MessageIndex,
  allowed: CompiledFilter,
  { hits }: MessageWorkspace,
  pause: Yielder,
): Promise<Uint32Array> {
  hits.reserve(slots);
  hits.classes.fill(0, 0, slots);
  let count = 0;
  await eachStretch(slots, pause, (from, to) => {
    for (let slot = from; slot < to; slot++) if (allowed.passes(slot)) hits.ids[count++] = slot;
  });
  hits.count = count;
  return Uint32Array.of(count);
}
