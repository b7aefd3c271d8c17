/**
 * Where the words of a question are in a passage. The service says which words matched, not where: it compares stems, with
 * typos, so a word of the passage is marked if it has the same beginning, or is the same but for a typo.
 */
import { editDistance, wordsOf } from '../../palette/palette-match.ts';

/** What a word may end with beyond its stem: "return", "returning". */
const longestEnding = 4;
const shortestStem = 4;

const isForm = (word: string, matched: string): boolean => {
  if (word === matched) return true;
  let same = 0;
  while (same < Math.min(word.length, matched.length) && word[same] === matched[same]) same++;
  if (same >= shortestStem && Math.max(word.length, matched.length) - same <= longestEnding) return true;
  const typos = matched.length < 5 ? 0 : matched.length < 8 ? 1 : 2;
  return typos > 0 && editDistance(word, matched, typos) !== null;
};

export function markMatched(text: string, matched: readonly string[]): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const [folded = ''] = wordsOf(word.normalize('NFC'));
    if (matched.some((one) => isForm(folded, one))) found.push({ start: index, end: index + word.length });
  }
  return found;
}
