// Where an index gets its content from. The SQL behind it guarantees:
// - A read sees every change committed before it began, and its position covers exactly what it saw, so that a
// transaction that commits late is in the next read (sequence numbers would miss it forever).
// - It may return a record more than once, and newer than its position: the last one returned counts.

import type { ColumnValues } from '../../../search-engine/columns/tables.ts';
import type { SearchDocument } from '../../../search-engine/store/index.ts';

/** Opaque to the index: what a read saw. */
export type Position = string;

export type Batch = {
  /** Boards whose searched fields have changed: their records are dropped and sent again. */
  emptiedKanbanIds: string[];
  removedIds: string[];
  documents: SearchDocument[];
  /** Only the last batch has it. */
  end?: ReadEnd;
};

export type ReadEnd = {
  position: Position;
  /** When it was read, by the clock of the database. */
  readAt: number;
};

/**
 * The changes since the position are not known: the database went back in time, as after a restore, or the account is
 * gone, or deletions since then are no longer kept.
 */
export class HistoryLost extends Error {}

/** The columns of one record. */
export type Columns = { id: string; kanbanId: string; columns: ColumnValues };

export type SearchSource = {
  /** All records of an account, or what changed since a position, in batches. Of the columns with texts only those. */
  read(accountId: string, since: Position | null, textColumns: ReadonlySet<string>): AsyncIterable<Batch>;
  /** Columns with texts, of all records, as they are now; a record without any of them may be left out. */
  readTextColumns(accountId: string, names: readonly string[]): AsyncIterable<Columns[]>;
};
