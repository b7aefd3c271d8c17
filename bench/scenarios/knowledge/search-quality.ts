/** How well the search finds the documents that answer judged questions, beside the search of inline knowledge. */
import { searchKnowledge } from '../../../server/features/ai-replies/knowledge/ai-replies.knowledge.ts';
import { cutPassages } from '../../../server/features/knowledge/passages/cut-passages.ts';
import { firstPlace, type Judged, qualityOf } from '../../../server/features/knowledge/questions/quality.ts';
import { loadVocabulary } from '../../../server/features/knowledge/search/knowledge.vocabulary.ts';
import { searchDocuments } from '../../../server/search-engine/passages/document-query.ts';
import { PassageIndex } from '../../../server/search-engine/passages/passage-index.ts';
import type { Options } from '../../options.ts';
import type { Measure } from '../../scenario.ts';
import { bankingSet, type JudgedSet, ownSets } from './judged-sets.ts';

type Find = (q: string) => Promise<string[]>;

const goalAboveBaseline = 0.03;

export async function measureQuality({ banking }: Pick<Options, 'banking'>): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const set of [...ownSets(), ...(banking === null ? [] : [bankingSet(banking)])]) {
    const talkboard = await judge(set, await talkboardOf(set));
    const miniSearch = await judge(set, miniSearchOf(set));
    measures.push(...figures(`${set.name}, MiniSearch`, miniSearch), ...figures(set.name, talkboard));
    measures.push({
      name: `${set.name}, nDCG@10 above MiniSearch`,
      value: gain(talkboard) - gain(miniSearch),
      goal: { atLeast: goalAboveBaseline },
    });
  }
  return measures;
}

async function judge({ questions }: JudgedSet, find: Find): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const { q, documentIds } of questions) judged.push({ found: await find(q), answering: documentIds });
  return judged;
}

const gain = (judged: readonly Judged[]): number => qualityOf(judged)['nDCG@10'];

/** Of all questions; nDCG@10 also of each half: the search was tuned on the first one (even positions). */
function figures(name: string, judged: readonly Judged[]): Measure[] {
  const hits = judged.filter((one) => firstPlace(one) !== null).length;
  const half = (parity: number) => gain(judged.filter((_, position) => position % 2 === parity));
  const values = {
    'nDCG@10': gain(judged),
    'nDCG@10 of the half that was tuned on': half(0),
    'nDCG@10 of the other half': half(1),
    'hit@5': qualityOf(judged)['hit@5'],
    'hit@10': hits / judged.length,
  };
  return Object.entries(values).map(([figure, value]) => ({ name: `${name}, ${figure}`, value, goal: null }));
}

async function talkboardOf({ language, documents }: JudgedSet): Promise<Find> {
  const index = new PassageIndex(await loadVocabulary());
  for (const { id, title, text } of documents) {
    const passages = cutPassages(text).map(({ heading, start, end }, number) => ({
      number,
      heading,
      text: text.slice(start, end),
    }));
    index.upsert({ id, title, language, version: 1, sourceId: 'set', audience: 'public', passages });
  }
  return async (q) =>
    (await searchDocuments(index, q, {}, () => undefined)).map(({ documentId }) => documentId);
}

/** As agents search the texts that were pasted into them. */
function miniSearchOf({ name, documents }: JudgedSet): Find {
  return async (q) => searchKnowledge(name, documents, q).map(({ index }) => documents[index]!.id);
}
