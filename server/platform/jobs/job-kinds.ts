/** Every kind of job has exactly one handler in a worker: one without would wait for ever, one of two would run at random. */
import type { Db } from '../db/db.ts';

const defined = new Set<string>();
const handled = new WeakMap<Db, Set<string>>();

/** Where a feature names a kind of its jobs. */
export function jobKind(name: string): string {
  if (defined.has(name)) throw new Error(`two kinds of jobs have the name ${name}`);
  defined.add(name);
  return name;
}

/** Of a worker that starts; returns what forgets them when it stops. */
export function noteHandlers(db: Db, kinds: readonly string[]): () => void {
  const known = handled.get(db) ?? new Set();
  const twice = kinds.find((kind) => known.has(kind));
  if (twice !== undefined) throw new Error(`two handlers for jobs of the kind ${twice}`);
  handled.set(db, known);
  for (const kind of kinds) known.add(kind);
  return () => {
    for (const kind of kinds) known.delete(kind);
  };
}

export function requireHandlers(db: Db, kinds: Iterable<string> = defined): void {
  const missing = [...kinds].filter((kind) => !handled.get(db)?.has(kind));
  if (missing.length > 0) throw new Error(`no handler for jobs of the kind ${missing.join(', ')}`);
}
