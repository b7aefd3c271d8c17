/** Questions with the documents that answer them. Nobody may change a question or its answers to please the search. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface JudgedSet {
  name: string;
  language: string;
  documents: { id: string; title: string; text: string }[];
  questions: { q: string; documentIds: string[] }[];
}

const folder = new URL('./judged/', import.meta.url);

/** Our own: written before the search was tuned. The name of a file is the language of its set. */
export function ownSets(): JudgedSet[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const name = file.replace('.json', '');
      return { name, language: name, ...JSON.parse(readFileSync(new URL(file, folder), 'utf8')) };
    });
}

/** Articles of an invented bank, and situations of its customers (sierra-research/tau2-bench, MIT). */
export function bankingSet(path: string): JudgedSet {
  const lines = (file: string) =>
    readFileSync(join(path, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return {
    name: 'banking',
    language: 'en',
    documents: lines('articles.jsonl'),
    questions: lines('tasks.jsonl').map(({ situation, documentIds }) => ({ q: situation, documentIds })),
  };
}
