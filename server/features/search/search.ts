/** Search over records: by text with typos, by the exact value of a field, counts and suggestions. */

import type { SearchQuery, Suggestion } from '../../../contract/crm/search.ts';
import { limits } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import type { DropReason } from '../../platform/limits/held-by-account.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import { ownedCalls } from '../../platform/nodes/owned-calls.ts';
import {
  compileQuery,
  matchText,
  NO_MATCH,
  prepareText,
  type Term,
  typosOfRank,
} from '../../search-engine/match/match.ts';
import type { SearchPage } from '../../search-engine/query/query.ts';
import { hashOfText } from '../../search-engine/store/values.ts';
import { type Actor, isOperator, rightsOf } from '../accounts/accounts.ts';
import {
  type Definitions,
  type DefinitionsCache,
  type KanbanDefinition,
  maySee,
  visibleTo,
} from '../kanbans/kanbans.ts';
import {
  type FieldValues,
  isConditional,
  type LookedUp,
  lookupKey,
  type RecordFinder,
  type RecordJsonRow,
  recordJson,
  selectByLookupKey,
  selectRecordsByIds,
} from '../records/records.ts';
import { createSource, textsOf } from './account-index/search.documents.ts';
import { IndexCache } from './account-index/search.index-cache.ts';
import { createIndexFiles, type FilesSettings } from './files/search.files.ts';
import { createFinder } from './filters/search.find.ts';

export { holdsFor, type Leaf, type NumberRange } from '../../search-engine/columns/conditions.ts';
export type { ColumnValue } from '../../search-engine/columns/tables.ts';
export { foldText } from '../../search-engine/store/text.ts';
export { recordValues } from './account-index/search.documents.ts';
export { removeOtherFolders } from './files/search.file-folder.ts';
export { noteErasure } from './files/search.files.sql.ts';
export {
  type FilterObject,
  type FilterReading,
  type FilterTree,
  readFilter,
} from './filters/search.filter.ts';
export { searchMetrics } from './search.metrics.ts';
export { reindex } from './search.reindex.ts';

export interface Search extends RecordFinder {
  /** A `SearchAnswer`, as JSON. */
  search(actor: Actor, query: SearchQuery): Promise<string>;
  /** Everything that a text finds, on one kanban; the caller checks access to it. */
  findIds(actor: Actor, q: string, kanbanId: string): Promise<string[]>;
  /** The best matches of a text, on the boards open to the actor. */
  findBest(actor: Actor, q: string, limit: number): Promise<{ id: string; typos: number }[]>;
  countStatuses(actor: Actor, kanbanId: string | undefined): Promise<{ key: string; count: number }[]>;
  suggest(actor: Actor, query: { q: string; kanbanId?: string; limit?: number }): Promise<Suggestion[]>;
  /** The indexes in this process. */
  memory(): { indexes: number; bytes: number };
  /** The account has moved to another cell, or has come back. */
  drop(accountId: string): void;
  /** After an erasure: the index and its files go, here; other processes remove their files within half a minute. */
  forget(accountId: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * An index of 100,000 records with 14 fields, ten of them texts, takes about 125 MB; indexes unused for ten minutes are dropped
 * first.
 */
const memory = { budgetBytes: 512 * 1024 * 1024, idleMs: 10 * 60_000 };

export interface SearchDeps {
  db: Db;
  definitions: DefinitionsCache;
  clock: Clock;
  /** Null: indexes are in memory only. */
  files?: FilesSettings | null;
  /** Of the memory; other cells of the process have the rest. */
  share?: number;
  onDrop?: (reason: DropReason) => void;
}

export function createSearch(deps: SearchDeps): Search {
  const { db, definitions, share = 1, onDrop } = deps;
  const files = deps.files ? createIndexFiles(db, deps.files) : null;
  const limitsOfMemory = {
    ...memory,
    budgetBytes: memory.budgetBytes * share,
    ...(onDrop && { onDrop }),
  };
  const indexCache = new IndexCache(createSource(db, definitions), limitsOfMemory, { files });
  const finder = createFinder({ ...deps, indexCache });
  const filterOf = (current: Definitions, actor: Actor, kanbanId?: string, status?: string) => ({
    kanbanId,
    status,
    openKanbanIds: visibleTo(actor, current) ?? undefined,
  });

  const answerFound = async (
    { accountId }: Actor,
    q: string,
    found: SearchPage,
    current: Definitions,
    place: Place,
  ): Promise<string> => {
    const records = await selectRecordsByIds(
      db,
      accountId,
      found.items.map((item) => item.id),
    );
    const terms = compileQuery(q);
    const items = found.items.flatMap(({ id, typos }) => {
      const row = records.get(id);
      if (!row) return [];
      if (terms.length === 0) return [recordJson(row)];
      const match = { typos, fields: matchedFields(terms, textsOfRow(row, current)) };
      return [recordJson(row, `,"match":${JSON.stringify(match)}`)];
    });
    return answer(items, found.total, place);
  };

  const conditional = async (actor: Actor, query: SearchQuery, place: Place): Promise<string> => {
    const { q = '', kanbanId, status, filter, sort } = query;
    const found = await finder.search(
      actor,
      { q, kanbanId, status, filter, sort },
      place.offset,
      place.pageSize,
    );
    return answerFound(actor, q, found, await definitions.known(actor.accountId), place);
  };

  /** An exact look-up with conditions or another order. */
  const conditionalLookup = async (actor: Actor, query: SearchQuery, place: Place): Promise<string> => {
    const current = await definitions.fresh(actor.accountId);
    const lookup = requireLookup(query);
    const board = boardOfField(current, actor, lookup.id);
    if (!board) throw notFound('field');
    const { filter, sort } = query;
    const conditions = { kanbanId: board.id, lookup, filter, sort };
    const found = await finder.search(actor, conditions, place.offset, place.pageSize);
    return answerFound(actor, '', found, current, place);
  };

  return {
    findPage: finder.findPage,
    findAll: finder.findAll,
    sumColumns: finder.sumColumns,
    findRows: finder.findRows,
    sumGroups: finder.sumGroups,

    async search(actor, query) {
      const page = query.page ?? 1;
      const pageSize = Math.min(query.pageSize ?? limits.searchPage.default, limits.searchPage.max);
      // Beyond the database's integer range there is nothing either.
      const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
      const place = { page, pageSize, offset };
      if (query.customFieldId !== undefined || query.customFieldValue !== undefined) {
        if (isConditional(query)) return conditionalLookup(actor, query, place);
        return lookUp(db, definitions, actor, query, place);
      }
      if (isConditional(query)) return conditional(actor, query, place);
      const current = await definitions.known(actor.accountId);
      const filter = filterOf(
        await currentFor(definitions, actor, current),
        actor,
        query.kanbanId,
        query.status,
      );
      const q = query.q ?? '';
      const found = await indexCache.search(actor.accountId, q, filter, offset, pageSize);
      return answerFound(actor, q, found, current, place);
    },

    async findIds({ accountId }, q, kanbanId) {
      const found = await indexCache.search(accountId, q, { kanbanId }, 0, limits.foundByText);
      return found.items.map((item) => item.id);
    },

    async findBest(actor, q, limit) {
      const filter = filterOf(await definitions.fresh(actor.accountId), actor);
      return (await indexCache.search(actor.accountId, q, filter, 0, limit)).items;
    },

    async countStatuses(actor, kanbanId) {
      const current = await definitions.fresh(actor.accountId);
      const boards = [...current.kanbans.values()].filter(
        (kanban) => maySee(actor, kanban) && (kanbanId === undefined || kanban.id === kanbanId),
      );
      const counts = await indexCache.count(actor.accountId, filterOf(current, actor, kanbanId));
      const totals = new Map(boards.flatMap((kanban) => kanban.statuses).map((status) => [status.value, 0]));
      for (const { status, count } of counts) totals.set(status, (totals.get(status) ?? 0) + count);
      return [...totals].map(([key, count]) => ({ key, count }));
    },

    async suggest(actor, { q, kanbanId, limit }) {
      if (q.trim() === '') throw badRequest('q is required');
      const size = Math.min(limit ?? limits.suggestPage.default, limits.suggestPage.max);
      const current = await definitions.fresh(actor.accountId);
      const found = await indexCache.suggest(actor.accountId, q, filterOf(current, actor, kanbanId), size);
      const records = await selectRecordsByIds(
        db,
        actor.accountId,
        found.map((item) => item.recordId),
      );
      return found.flatMap(({ recordId, textHash }) => {
        const row = records.get(recordId);
        const texts = row ? textsOfRow(row, current) : [];
        const placed = texts.find(({ text }) => hashOfText(text) === textHash);
        if (!row || !placed) return [];
        return [{ text: placed.text, recordId, kanbanId: row.kanban_id, fieldId: placed.fieldId }];
      });
    },

    memory: () => ({ indexes: indexCache.size, bytes: indexCache.byteLength }),
    drop(accountId) {
      indexCache.drop(accountId);
      // An account that has moved may keep its row here for a while, so the sweep alone would keep the files.
      files?.remove(accountId).catch((error) => {
        const about = { accountId, reason: (error as Error).message };
        deps.files?.logger.warn(about, 'files of search indexes could not be removed');
      });
    },
    async forget(accountId) {
      indexCache.drop(accountId);
      await files?.remove(accountId);
    },
    async close() {
      await indexCache.close();
      await files?.close();
    },
  };
}

/** Everything that needs an index. */
const indexed = [
  'search',
  'findIds',
  'findBest',
  'countStatuses',
  'suggest',
  'findPage',
  'findAll',
  'findRows',
  'sumGroups',
  'sumColumns',
] as const;

/** The same search, run by the node that owns the account: its index is in the memory of one node, not of all. */
export function searchOnOwner(local: Search, nodes: Nodes, cell: string): Search {
  const owned = ownedCalls({ nodes, topic: `records ${cell}`, local, names: indexed, rightsOf });
  return {
    ...local,
    ...owned.methods,
    search(actor, query) {
      const isLookup = query.customFieldId !== undefined || query.customFieldValue !== undefined;
      // An exact look-up reads the database, not an index.
      if (isLookup && !isConditional(query)) return local.search(actor, query);
      return owned.methods.search(actor, query);
    },
    close() {
      owned.close();
      return local.close();
    },
  };
}

/** Only operators depend on open boards; others skip the lookup. */
async function currentFor(
  definitions: DefinitionsCache,
  actor: Actor,
  known: Definitions,
): Promise<Definitions> {
  return isOperator(actor) ? definitions.fresh(actor.accountId) : known;
}

async function lookUp(
  db: Db,
  definitions: DefinitionsCache,
  actor: Actor,
  query: SearchQuery,
  place: Place,
): Promise<string> {
  const lookup = requireLookup(query);
  const { accountId } = actor;
  const key = lookupKey(lookup.id, lookup.value);
  const { offset, pageSize } = place;
  const boardOf = (current: Definitions) => boardOfField(current, actor, lookup.id);
  // With the cached definitions first: the statement reports whether they were current, and usually they were.
  const known = await definitions.known(accountId);
  const board = boardOf(known);
  if (board) {
    const found = await selectByLookupKey(db, accountId, board.id, key, offset, pageSize);
    if (found.definitionsVersion === known.version) return foundRecords(found, place);
  }
  const current = boardOf(await definitions.fresh(accountId));
  if (!current) throw notFound('field');
  return foundRecords(await selectByLookupKey(db, accountId, current.id, key, offset, pageSize), place);
}

function requireLookup({ customFieldId, customFieldValue }: SearchQuery): { id: string; value: string } {
  if (customFieldId === undefined) throw badRequest('customFieldId is required with customFieldValue');
  if (customFieldValue === undefined) throw badRequest('customFieldValue is required with customFieldId');
  return { id: customFieldId, value: customFieldValue };
}

function boardOfField({ kanbans }: Definitions, actor: Actor, fieldId: string): KanbanDefinition | null {
  const kanban = [...kanbans.values()].find((board) => board.fields.has(fieldId));
  return kanban && maySee(actor, kanban) ? kanban : null;
}

interface Place {
  page: number;
  pageSize: number;
  offset: number;
}

const foundRecords = ({ rows, total }: LookedUp, place: Place) =>
  answer(
    rows.map((row) => recordJson(row)),
    total,
    place,
  );

function answer(items: readonly string[], total: number, { page, pageSize }: Place): string {
  const totalPages = Math.ceil(total / pageSize);
  return `{"items":[${items.join(',')}],"total":${total},"page":${page},"pageSize":${pageSize},"totalPages":${totalPages}}`;
}

function textsOfRow(row: RecordJsonRow, { kanbans }: Definitions): ReturnType<typeof textsOf> {
  const customFields: FieldValues = JSON.parse(row.fields_json);
  return textsOf({ title: row.title, customFields }, kanbans.get(row.kanban_id));
}

/** Every field in which some term matches as well as anywhere in the record. */
function matchedFields(terms: readonly Term[], texts: ReturnType<typeof textsOf>): string[] {
  const prepared = texts.map(({ text, isPhone, fieldId }) => ({ fieldId, text: prepareText(text, isPhone) }));
  const fields = new Set<string>();
  for (const term of terms) {
    const typos = prepared.map(({ text }) => {
      const rank = matchText(term, text);
      return rank === NO_MATCH ? NO_MATCH : typosOfRank(rank);
    });
    const best = Math.min(...typos);
    for (const [index, { fieldId }] of prepared.entries()) {
      if (best !== NO_MATCH && typos[index] === best) fields.add(fieldId ?? 'title');
    }
  }
  return [...fields];
}
