/** The frame of a corpus: boards, fields, ids and times. A corpus adds the texts. */
import { CORPUS_STATUSES, type CorpusField, type CorpusRecord, corpusStart, uuid } from './corpus.ts';
import { Random } from './random.ts';

type Value = string | number | boolean | string[];

export interface CorpusShape {
  fields: { name: string; type: string; options?: string[] }[];
  /** Each record depends only on the seed and the previous ones. */
  texts(random: Random): () => { title: string; values: Record<string, Value> };
}

export function generatedCorpus(shape: CorpusShape) {
  const fields = (seed: number, boards = 3): CorpusField[] => {
    const random = new Random(seed ^ 0x5eed);
    return Array.from({ length: boards }, () => uuid(corpusStart, random)).flatMap((kanbanId) =>
      shape.fields.map((field) => ({ ...field, id: uuid(corpusStart, random), kanbanId })),
    );
  };
  function* records(seed: number, count: number, boards = 3): Generator<CorpusRecord> {
    const random = new Random(seed);
    const all = fields(seed, boards);
    const idOf = new Map(all.map((field) => [`${field.kanbanId} ${field.name}`, field.id]));
    const kanbanIds = [...new Set(all.map(({ kanbanId }) => kanbanId))];
    const next = shape.texts(random);
    for (let index = 0; index < count; index++) {
      const createdAt = corpusStart + index * 1000 + random.below(1000);
      const kanbanId = random.pick(kanbanIds);
      const { title, values } = next();
      yield {
        id: uuid(createdAt, random),
        kanbanId,
        title,
        status: random.pickSkewed(CORPUS_STATUSES),
        customFields: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [idOf.get(`${kanbanId} ${name}`)!, value]),
        ),
        createdAt,
        updatedAt: createdAt + (random.chance(0.5) ? random.below(1e8) : 0),
      };
    }
  }
  return { fields, records };
}
