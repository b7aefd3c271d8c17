/** The searched text of the corpus, folded, one string per record: the input of every engine. */
import { foldText } from '../../server/search-engine/store/text.ts';
import { corpusFields, corpusRecords } from './corpus.ts';
import { searchedTexts } from './queries.ts';

export function corpusTexts(seed: number, count: number): string[] {
  const types = new Map(corpusFields(seed).map((field) => [field.id, field.type]));
  const texts: string[] = [];
  for (const record of corpusRecords(seed, count))
    texts.push(foldText(searchedTexts(record, types).join(' ')));
  return texts;
}
