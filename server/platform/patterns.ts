/** Regular expressions that users write, in the syntax of RE2: they take linear time, whatever they are applied to. */
import { LRUCache } from 'lru-cache';
import type { RE2JS } from 're2js';

/** Compiling takes up to 100 ms. */
const compiled = new LRUCache<string, RE2JS>({ max: 1_000 });

/** Why it is none; null: it is one. */
export async function patternProblem(pattern: string): Promise<string | null> {
  try {
    await compile(pattern);
    return null;
  } catch (error) {
    return `is no regular expression of RE2: ${(error as Error).message}`;
  }
}

/** Whether a part of the text matches one of them. */
export async function matchesAny(patterns: readonly string[], text: string): Promise<boolean> {
  for (const pattern of patterns) {
    if ((await compile(pattern)).test(text)) return true;
  }
  return false;
}

/** The package is loaded on first use: few accounts have patterns. */
async function compile(pattern: string): Promise<RE2JS> {
  const known = compiled.get(pattern);
  if (known) return known;
  const { RE2JS } = await import('re2js');
  const made = RE2JS.compile(pattern);
  compiled.set(pattern, made);
  return made;
}
