/** What the search knows of the words of five languages. */
import type { Vocabulary } from '../../../search-engine/passages/passage-index.ts';
import { functionWordLanguages, isFunctionWord } from './knowledge.function-words.ts';
import { loadStem } from './knowledge.stemmers.ts';
import { relatedStems } from './knowledge.synonyms.ts';

/** Loaded with the first search of a process, because a start needs none of it. */
export async function loadVocabulary(): Promise<Vocabulary> {
  const stem = await loadStem();
  return { languages: functionWordLanguages, stem, isFunctionWord, related: relatedStems(stem) };
}
