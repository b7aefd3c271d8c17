// Runs some queries on the first large index, after the first real query and between those that follow. A process that
// has just started runs the search loops uncompiled, and drops compiled code again at the first non-ASCII letter or the
// first long term: this caused about half of the slowest queries after a start (46 ms where the same query takes 11 ms
// later).

import { compileQuery } from '../match/match.ts';
import type { SearchIndex } from '../store/index.ts';
import { searchPage } from './query.ts';
import { suggestValues } from './suggest.ts';
import type { Workspace } from './workspace.ts';
import { createYielder } from './yielder.ts';

const QUESTIONS = 60;
/** Of work; a tenth of what building the index of 100,000 records takes. */
const MAX_MS = 600;
/** Lengths of terms that are compared in different ways: short, four texts at once, two, one at a time. */
const LENGTHS = [6, 3, 8, 4, 7, 11, 5, 9, 16];

type Ask = (question: (index: SearchIndex, work: Workspace) => Promise<void>) => Promise<void>;

/** Asks one question at a time: real ones need not wait for all of them. */
export async function warmUp(ask: Ask): Promise<void> {
  let left = MAX_MS;
  for (let i = 0; i < QUESTIONS && left > 0; i++) {
    await ask(async (index, work) => {
      const began = performance.now();
      await runQuestion(index, work, i);
      left -= performance.now() - began;
    });
  }
}

async function runQuestion(index: SearchIndex, work: Workspace, i: number): Promise<void> {
  const pause = createYielder();
  const first = partOfToken(index, i * 2, LENGTHS[i % LENGTHS.length]!);
  const second = partOfToken(index, i * 2 + 1, LENGTHS[(i + 4) % LENGTHS.length]!);
  const q = i % 3 === 2 ? `${first} ${second}` : misspelt(first, i);
  await searchPage(index, compileQuery(q), {}, 0, 20, work, pause);
  if (i % 6 === 0) await suggestValues(index, compileQuery(first), {}, 10, work, pause);
}

/** Texts of all kinds, far from each other. */
function partOfToken({ values: { tokens } }: SearchIndex, nth: number, length: number): string {
  const id = Math.floor(((nth + 0.5) / (QUESTIONS * 2)) * tokens.size);
  const bytes = tokens.bytes.data.slice(tokens.starts.data[id], tokens.starts.data[id + 1]);
  const characters = [...new TextDecoder().decode(bytes)];
  const from = Math.max(0, characters.length - length) >> 1;
  return characters.slice(from, from + length).join('');
}

function misspelt(text: string, i: number): string {
  return i % 3 === 0 ? text : `${text.slice(0, 2)}${text.slice(3)}`;
}
