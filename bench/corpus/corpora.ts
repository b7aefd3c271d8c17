/** The corpora of the scenario "search": what is fast on one must be fast on the others. */
import { type CorpusField, type CorpusRecord, corpusFields, corpusRecords } from './corpus.ts';
import { catalogue } from './corpus-catalogue.ts';
import { tickets } from './corpus-tickets.ts';

export interface Corpus {
  name: string;
  fields(seed: number, boards?: number): CorpusField[];
  records(seed: number, count: number, boards?: number): Iterable<CorpusRecord>;
}

export const customers: Corpus = { name: 'customers', fields: corpusFields, records: corpusRecords };

export const corpora: readonly Corpus[] = [
  customers,
  { name: 'tickets', ...tickets },
  { name: 'catalogue', ...catalogue },
];
