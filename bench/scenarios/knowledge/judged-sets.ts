/** Questions with the documents that answer them. Nobody may change a question or its answers to please the search. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface JudgedSet {
  name: string;
  language: string;
  documents: { id: string; title: string; text: string }[];
  questions: { q: string; documentIds: string[] }[];
}

const folder = fileURLToPath(new URL('./judged', import.meta.url));

/** Our own, written before the search was tuned. */
export function ownSets(): JudgedSet[] {
  return readdirSync(folder)
    .sort()
    .map((language) => ({
      name: language,
      language,
      documents: readLines(folder, language, 'documents.jsonl'),
      questions: readLines(folder, language, 'questions.jsonl'),
    }));
}

/** Articles of an invented bank, and situations of its customers (sierra-research/tau2-bench, MIT). */
export function bankingSet(path: string): JudgedSet {
  const tasks = readLines<{ situation: string; documentIds: string[] }>(path, 'tasks.jsonl');
  return {
    name: 'banking',
    language: 'en',
    documents: readLines(path, 'articles.jsonl'),
    questions: tasks.map(({ situation, documentIds }) => ({ q: situation, documentIds })),
  };
}

const readLines = <T>(...path: string[]): T[] =>
  readFileSync(join(...path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
