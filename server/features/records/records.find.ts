/** Records by conditions and in another order: what this feature needs of the search, which implements it. */
import type { Actor } from '../accounts/accounts.ts';

export interface RecordConditions {
  kanbanId?: string | undefined;
  status?: string | undefined;
  assignedUserId?: string | undefined;
  /** The exact value of a field. */
  lookup?: { id: string; value: string } | undefined;
  q?: string | undefined;
  /** As in the query of a request: JSON (contract/crm/filters.ts). */
  filter?: string | undefined;
  sort?: string | undefined;
  /** One more condition: the value of a field by which records are grouped, null for no value. */
  group?: { field: string; value: string | null } | undefined;
}

export interface GroupTotals {
  count: number;
  /** In the order of the fields that were asked for. */
  totals: number[];
}

/** The sort key and the id of the last record of a page. */
export type PageCursor = (string | number)[];

export interface FoundPage {
  ids: string[];
  /** Null: this was the last page. */
  next: PageCursor | null;
}

/** Everything throws a 400 that names the place of a mistake in `filter` or `sort`. */
export interface RecordFinder {
  findPage(
    actor: Actor,
    query: RecordConditions,
    after: PageCursor | null,
    count: number,
  ): Promise<FoundPage>;
  /** Every id, in order. */
  findAll(actor: Actor, query: RecordConditions): Promise<string[]>;
  /** By status, those without records omitted. */
  sumColumns(
    actor: Actor,
    query: RecordConditions,
    sumFieldId: string | null,
  ): Promise<{ status: string; count: number; total: number }[]>;
  /** By position. */
  findRows(
    actor: Actor,
    query: RecordConditions,
    offset: number,
    count: number,
  ): Promise<{ ids: string[]; total: number }>;
  /** Of one board: the counts and sums of everything, and of each group that has records. */
  sumGroups(
    actor: Actor,
    query: RecordConditions,
    groupBy: string | null,
    sumFieldIds: readonly string[],
  ): Promise<{ all: GroupTotals; groups: (GroupTotals & { value: string | null })[] }>;
}

/** Whether a request needs the search; other lists are read from the database as they are. */
export const isConditional = ({ filter, sort }: RecordConditions): boolean =>
  filter !== undefined || sort !== undefined;
