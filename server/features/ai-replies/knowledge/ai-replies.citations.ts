/**
 * The numbers by which a model says what its reply is based on. They are taken out of the text, and what they stand for
 * becomes the reply's citations.
 *
 * - A mark is `[2]`, `[1, 3]` or `【2】`. An address behind it, as in a link, is a part of it.
 * - In code nothing is a mark.
 * - A mark without any known number cites nothing. It is taken out as well, unless somebody wrote it in the conversation:
 *   then it is a part of what this is about. Notes at the foot of a page are not.
 */
import type { StoredCitation } from '../../knowledge/knowledge.ts';

const mark =
  /(?<![ \t])[ \t]*(?:\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\](?:\(\s*https?:[^)\s]*\s*\))?|【(\d{1,4})(?:†[^】]{0,100})?】)/g;
/** Blocks, also those that do not end, and spans. */
const code = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/;

export function resolveCitations(
  text: string,
  numbered: readonly StoredCitation[],
  said: readonly string[],
): { text: string; citations: StoredCitation[] } {
  if (numbered.length === 0) return { text, citations: [] };
  const cited = new Set<StoredCitation>();
  const resolve = (prose: string) =>
    prose.replace(mark, (whole: string, list: string | undefined, single: string | undefined) => {
      const numbers = (list ?? single ?? '').split(/[,;]/).map(Number);
      const known = numbers.flatMap((number) => numbered[number - 1] ?? []);
      for (const citation of known) cited.add(citation);
      const isOfOthers = known.length === 0 && said.some((other) => other.includes(whole.trim()));
      return isOfOthers ? whole : '';
    });
  const parts = text.split(code).map((part, index) => (index % 2 === 1 ? part : resolve(part)));
  return { text: parts.join('').trim(), citations: [...cited] };
}
