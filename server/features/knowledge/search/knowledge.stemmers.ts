/** Stems of words without accents. The library expects accents, so those that endings always have come back first. */
import type { Vocabulary } from '../../../search-engine/passages/passage-index.ts';
import { foldText } from '../../../search-engine/store/text.ts';

const accents: { [language: string]: (word: string) => string } = {
  pt: (word) =>
    word
      .replace(/cao$/, 'ção')
      .replace(/coes$/, 'ções')
      .replace(/([aei])vel$/, (_, vowel: string) => `${vowel === 'a' ? 'á' : vowel === 'i' ? 'í' : vowel}vel`)
      .replace(/encia(s?)$/, 'ência$1'),
  es: (word) => word.replace(/([cs])ion$/, '$1ión').replace(/logia(s?)$/, 'logía$1'),
};

export async function loadStem(): Promise<Vocabulary['stem']> {
  const [en, pt, es, de, fr] = await Promise.all([
    import('@orama/stemmers/english'),
    import('@orama/stemmers/portuguese'),
    import('@orama/stemmers/spanish'),
    import('@orama/stemmers/german'),
    import('@orama/stemmers/french'),
  ]);
  const stemmers = new Map(Object.entries({ en, pt, es, de, fr }));
  return (language, word) => {
    const primary = language.split('-', 1)[0]!;
    const stemmer = stemmers.get(primary)?.stemmer;
    return stemmer ? foldText(stemmer(accents[primary]?.(word) ?? word)) : word;
  };
}
