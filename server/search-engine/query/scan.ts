// Finds the values that a term matches. Words and tokens are distinct and compared once, however many records have
// them; bigram columns, masks and signatures skip nearly all comparisons. Complete by construction: every skipped
// text fails a necessary condition.

import { countBits } from '../filters/character-masks.ts';
import type { WordStartIndex } from '../filters/word-starts.ts';
import { compileTerm, matchToken, NO_MATCH, rankOf, type Term } from '../match/match.ts';
import { WORD_BITS } from '../match/pattern.ts';
import type { Dictionary } from '../store/dictionary.ts';
import { ONLY, type Postings } from '../store/postings.ts';
import { ANYWHERE_FROM_LENGTH, isWordCharacter } from '../store/text.ts';
import { PHONE_BIT, type Values } from '../store/values.ts';
import type { Ranks } from './ranks.ts';
import { type Scan, scanAll } from './shared-scan.ts';
import type { Workspace } from './workspace.ts';
import type { Yielder } from './yielder.ts';

const ONE_TYPO_AT_START = rankOf(1, true);

/** A long term is compared with words, and with tokens across their word breaks; or with tokens only. Both find the same. */
export type LongTermScan = 'words' | 'tokens';

/**
 * How many more tokens than words may be compared, as a share of all tokens: up to this, it takes less time than finding
 * the word breaks that the term may run across (D-431).
 */
const MORE_TOKENS = 1 / 64;
/** A term with a separator may run across many word breaks. */
const MORE_TOKENS_WITH_SEPARATOR = 1 / 8;

/** Ranks every value that the term matches in `work.values`. */
export async function rankValues(
  values: Values,
  term: Term,
  work: Workspace,
  pause: Yielder,
  scan?: LongTermScan,
): Promise<void> {
  await rankParts(values, term, work, pause, scan);
  await spreadToValues(values, work, pause);
}

/** From the ranks of `work.tokens` and `work.phones` to the values that have them. */
export async function spreadToValues(values: Values, work: Workspace, pause: Yielder): Promise<void> {
  work.values.reset(values.size);
  await spread(work.tokens, values.valuesOfToken, work.values, pause);
  await spread(work.phones, values.valuesOfPhone, work.values, pause);
}

/** Ranks what the term matches in `work.tokens` and `work.phones`. Without `scan` it takes the cheaper one. */
export async function rankParts(
  values: Values,
  term: Term,
  work: Workspace,
  pause: Yielder,
  scan?: LongTermScan,
): Promise<void> {
  work.words.reset(values.words.size);
  work.tokens.reset(values.tokens.size);
  work.phones.reset(values.phones.size);
  if (term.wordStartsOnly) await rankByShortTerm(values, term, work, pause);
  else await rankByLongTerm(values, term, work, pause, scan);
}

/** The same for one value: cheaper than searching all words when only a few values are left. */
export function rankOfValue(values: Values, term: Term, value: number): number {
  const parts = values.parts.data;
  const end = values.starts.data[value + 1]!;
  let best = NO_MATCH;
  for (let at = values.starts.data[value]!; at < end; at++)
    best = Math.min(best, rankOfPart(values, term, parts[at]!));
  return best;
}

export function rankOfPart({ tokens, phones }: Values, term: Term, part: number): number {
  if (part < PHONE_BIT) return rankOfText(tokens, term, part);
  let best = NO_MATCH;
  for (const form of formsAgainstDigits(term))
    best = Math.min(best, rankOfText(phones, form, part - PHONE_BIT));
  return best;
}

function rankOfText({ bytes, starts, masksLow, masksHigh }: Dictionary, term: Term, id: number): number {
  const { low, high } = term.mask;
  if (countBits(low & ~masksLow.data[id]!) + countBits(high & ~masksHigh.data[id]!) > term.typos)
    return NO_MATCH;
  return matchToken(term, bytes.data, starts.data[id]!, starts.data[id + 1]!);
}

/** A short term in words: at word starts with a typo, anywhere without. */
async function rankByShortTerm(values: Values, term: Term, work: Workspace, pause: Yielder): Promise<void> {
  const forms = formsAgainstDigits(term);
  // A term with a character that no word has can only be found in tokens.
  const exactly: Scan = term.pattern.codePoints.every(isWordCharacter)
    ? { dictionary: values.words, term, mode: 'exactInWords', among: null, ranks: work.words }
    : { dictionary: values.tokens, term, mode: 'exact', among: null, ranks: work.tokens };
  await scanAll([exactly, ...scansOfPhones(values, forms, work)], work, pause, () => {
    rankBeginnings(values.words, values.heads, term, work.words);
    rankBeginningsOfPhones(values, forms, work);
  });
  await spread(work.words, values.tokensOfWord, work.tokens, pause);
}

async function rankByLongTerm(
  values: Values,
  term: Term,
  work: Workspace,
  pause: Yielder,
  scan?: LongTermScan,
): Promise<void> {
  const core = coreOf(term);
  const isInWords = core.pattern.length <= WORD_BITS && (scan ?? cheaperScan(values, term)) === 'words';
  if (isInWords) await rankInWords(values, term, core, work, pause);
  else await rankInTokens(values, term, work, pause);
}

/** A word is compared once, however many tokens have it; a token, only if the filters let it pass. */
export function cheaperScan({ words, tokens }: Values, term: Term): LongTermScan {
  const core = coreOf(term);
  const comparedWords = words.bigrams.estimate(core.bigramPieces, core.bigramCover);
  const comparedTokens = tokens.bigrams.estimate(term.bigramPieces, term.bigramCover);
  const isOneWord = core.pattern.codePoints.every(isWordCharacter);
  const more = isOneWord ? MORE_TOKENS : MORE_TOKENS_WITH_SEPARATOR;
  return comparedTokens - comparedWords <= tokens.size * more ? 'tokens' : 'words';
}

async function rankInTokens(values: Values, term: Term, work: Workspace, pause: Yielder): Promise<void> {
  const forms = formsAgainstDigits(term);
  const scans = [scanOfTokens(values, term, work, null), ...scansOfPhones(values, forms, work)];
  await scanAll(scans, work, pause, () => rankBeginningsOfPhones(values, forms, work));
}

/** A match lies within one word, or runs across a word break. */
async function rankInWords(
  values: Values,
  term: Term,
  core: Term,
  work: Workspace,
  pause: Yielder,
): Promise<void> {
  const { words, tokens, junctions } = values;
  const { candidates } = work;
  const forms = formsAgainstDigits(term);
  const inWords: Scan = {
    dictionary: words,
    term: core,
    mode: 'anywhere',
    among: null,
    ranks: work.words,
  };
  await scanAll([inWords, ...scansOfPhones(values, forms, work)], work, pause, () => {
    rankBeginningsOfPhones(values, forms, work);
    candidates.reset(tokens.size);
    junctions.visitTokens(core.pattern.codePoints, candidates.add);
  });
  if (core === term) await spread(work.words, values.tokensOfWord, work.tokens, pause);
  else {
    for (let i = 0; i < work.words.count; i++)
      values.tokensOfWord.each(work.words.touched[i]!, candidates.add);
  }
  await scanAll([scanOfTokens(values, term, work, candidates.bits)], work, pause);
}

function scanOfTokens({ tokens }: Values, term: Term, work: Workspace, among: Uint32Array | null): Scan {
  return { dictionary: tokens, term, mode: 'anywhere', among, ranks: work.tokens };
}

function rankBeginnings(
  { bytes, starts }: Dictionary,
  heads: WordStartIndex,
  term: Term,
  ranks: Ranks,
): void {
  if (term.typos === 0) return;
  const { pattern } = term;
  heads.visitWithinOneTypo(pattern.codePoints, (id, isCertain) => {
    if (isCertain || pattern.isPrefixWithin(bytes.data, starts.data[id]!, starts.data[id + 1]!, 1))
      ranks.improve(id, ONE_TYPO_AT_START);
  });
}

function rankBeginningsOfPhones({ phones, phoneHeads }: Values, forms: Term[], work: Workspace): void {
  for (const form of forms) if (form.wordStartsOnly) rankBeginnings(phones, phoneHeads, form, work.phones);
}

function scansOfPhones({ phones }: Values, forms: Term[], work: Workspace): Scan[] {
  return forms.map((term) => ({
    dictionary: phones,
    term,
    mode: term.wordStartsOnly ? 'exactInWords' : 'anywhere',
    among: null,
    ranks: work.phones,
  }));
}

/**
 * A long term without the separators around its words: every text that contains the term contains this within as many
 * typos. A dot or hyphen at its end would filter nothing, and half of all tokens would have to be compared.
 */
function coreOf(term: Term): Term {
  const { codePoints } = term.pattern;
  const from = codePoints.findIndex(isWordCharacter);
  const to = codePoints.findLastIndex(isWordCharacter) + 1;
  if (to - from === codePoints.length || to - from < ANYWHERE_FROM_LENGTH) return term;
  return compileTerm(String.fromCodePoint(...codePoints.slice(from, to)), () => term.typos);
}

/** Gives every member of the ranked lists the rank of its list if that is better. */
async function spread(lists: Ranks, postings: Postings, members: Ranks, pause: Yielder): Promise<void> {
  const { touched, best } = lists;
  const entries = postings.entries.data;
  const pool = postings.pool.data;
  await eachStretch(lists.count, pause, (from, to) => {
    for (let i = from; i < to; i++) {
      const list = touched[i]!;
      const entry = entries[list]!;
      if (entry >= ONLY) members.improve(entry - ONLY, best[list]!);
      else members.improveAll(pool, entry + 1, entry + 1 + pool[entry]!, best[list]!);
    }
  });
}

/**
 * Short chunks, so that `work` is called often and compiled soon. It must not contain a nested loop: where the engine
 * had compiled only the inner loop, it fell back to the interpreter at the end of each list, thousands of times per
 * query (`--trace-deopt`: exit from OSR'd inner loop).
 */
const STRETCH = 512;

export async function eachStretch(
  size: number,
  pause: Yielder,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < size; from += STRETCH) {
    work(from, Math.min(from + STRETCH, size));
    const waiting = pause();
    if (waiting) await waiting;
  }
}

/** The forms of a term that could match phone numbers' digits. */
export function formsAgainstDigits(term: Term): Term[] {
  const { digits } = term;
  // The digits alone are never further away; the term as typed adds something only if it may be closer.
  if (digits !== null && digits.typos === term.typos && digits.wordStartsOnly === term.wordStartsOnly)
    return [digits];
  const others = term.pattern.codePoints.filter((codePoint) => codePoint < 0x30 || codePoint > 0x39);
  const asTyped = others.length <= term.typos ? [term] : [];
  return digits === null ? asTyped : [...asTyped, digits];
}
