// Generates what people type from the corpus: parts of words, misspelt words, two words, a letter.

import type { CorpusField, CorpusRecord } from './corpus.ts';
import type { Random } from './random.ts';

export const QUERY_KINDS = ['substring', 'typo1', 'typo2', 'twoTerms', 'oneLetter', 'suggest'] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];

const SEARCHED = new Set(['text', 'email', 'phone', 'url', 'select', 'multiselect']);
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export function searchedTexts(record: CorpusRecord, types: Map<string, string>): string[] {
  const values = Object.entries(record.customFields).filter(([id]) => SEARCHED.has(types.get(id) ?? ''));
  return [record.title, ...values.flatMap(([, value]) => value as string | string[])];
}

function pickToken(
  record: CorpusRecord,
  types: Map<string, string>,
  shortest: number,
  random: Random,
): string | null {
  const tokens = searchedTexts(record, types)
    .flatMap((text) => text.split(/\s+/))
    .filter((token) => [...token].length >= shortest);
  return tokens.length === 0 ? null : random.pick(tokens);
}

/** A part as it would be typed: punctuation inside is kept, at the ends it is dropped. */
function partOf(token: string, shortest: number, longest: number, random: Random): string {
  const characters = [...token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')];
  const length = Math.min(characters.length, random.between(shortest, longest));
  const start = random.below(characters.length - length + 1);
  const part = characters.slice(start, start + length).join('');
  return part.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

function misspell(word: string, edits: number, random: Random): string {
  const list = [...word];
  for (let i = 0; i < edits; i++) {
    const at = random.below(list.length - 1);
    const letter = random.pick([...LETTERS]);
    const kind = random.below(4);
    if (kind === 0) list.splice(at, 0, letter);
    else if (kind === 1) list.splice(at, 1);
    else if (kind === 2) list.splice(at, 1, letter);
    else list.splice(at, 2, list[at + 1]!, list[at]!);
  }
  return list.join('');
}

export function makeQuery(
  kind: QueryKind,
  records: CorpusRecord[],
  types: Map<string, string>,
  random: Random,
): string {
  if (kind === 'oneLetter') return random.pick([...LETTERS]);
  for (;;) {
    const record = random.pick(records);
    const token = pickToken(record, types, kind === 'typo2' ? 8 : 4, random);
    const second = pickToken(record, types, 5, random);
    const query = token === null || second === null ? '' : queryFrom(kind, record, token, second, random);
    if (query.split(' ').every((term) => [...term].length >= 2)) return query;
  }
}

function queryFrom(
  kind: QueryKind,
  record: CorpusRecord,
  token: string,
  second: string,
  random: Random,
): string {
  if (kind === 'suggest') return partOf(record.title.split(/\s+/)[0]!, 2, 6, random);
  if (kind === 'twoTerms') return `${partOf(token, 3, 6, random)} ${partOf(second, 4, 8, random)}`;
  if (kind === 'substring') return partOf(token, 3, 10, random);
  const part = partOf(token, kind === 'typo1' ? 4 : 7, 14, random);
  return part.length < 3 ? '' : misspell(part, kind === 'typo1' ? 1 : 2, random);
}

/** A field's value with its case changed: mostly e-mail addresses and phone numbers, sometimes an option. */
export function makeLookup(records: CorpusRecord[], fields: CorpusField[], random: Random): [string, string] {
  const wanted = random.chance(0.95) ? ['email', 'phone'] : ['select', 'multiselect', 'currency'];
  const record = random.pick(records);
  const field = random.pick(
    fields.filter(({ kanbanId, type }) => kanbanId === record.kanbanId && wanted.includes(type)),
  );
  const value = record.customFields[field.id]!;
  return [field.id, String(Array.isArray(value) ? value[0] : value).toUpperCase()];
}
