// Where an index gets its content from. The SQL behind it keeps these promises:
// - a read sees every change that was committed before it began, and its position covers exactly what it saw, so that
//   a transaction which commits late is in the next read (sequence numbers would miss it for ever);
// - it may give a record more than once, and newer than its position: the last one given is the one that counts.

import type { SearchDocument } from '../../../search-engine/store/index.ts';

/** Opaque to the index: what a read saw. */
export type Position = string;

export type Batch = {
  /** Boards whose searched fields have changed: their records are dropped, and follow anew. */
  emptiedKanbanIds: string[];
  removedIds: string[];
  documents: SearchDocument[];
  /** On the last batch. */
  position?: Position;
};

export type SearchSource = {
  /** All records of an account, or what changed since a position, in batches. */
  read(accountId: string, since: Position | null): AsyncIterable<Batch>;
};
