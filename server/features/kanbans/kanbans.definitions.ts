/**
 * Boards, statuses, fields and members of an account, as one value. They change rarely and every record write needs
 * them, so each process keeps them with their version. The order of locks is the same everywhere: a conversation, then
 * the definitions, then records. A change of definitions locks records too, so a record that is locked first would
 * deadlock with it; definitions that are locked before a conversation would do so by way of a change that waits for
 * them. The one statement of a hot create checks the version by itself, and so does the last statement of a
 * message that comes in; what they refuse is decided again on fresh definitions.
 */
import { LRUCache } from 'lru-cache';
import type { FieldGroup, Status } from '../../../contract/kanbans.ts';
import type { FieldType, LanguageName } from '../../../contract/limits.ts';
import { conflictCode, type Db, isConflict, type Reader, type Tx } from '../../platform/db/db.ts';
import { AppError, busy } from '../../platform/http/errors.ts';
import { holdDefinitions, selectDefinitions, selectDefinitionsVersion } from './kanbans.definitions.sql.ts';

export interface FieldDefinition {
  id: string;
  kanbanId: string;
  groupId: string | null;
  name: string;
  type: FieldType;
  description: string;
  options: string[] | null;
  order: number;
  isSystem: boolean;
  boundToChannels: string[];
  aiVisible: boolean;
}

export interface KanbanDefinition {
  id: string;
  name: string;
  slug: string;
  description: string;
  isDefault: boolean;
  order: number;
  createdAt: number;
  updatedAt: number;
  isRestricted: boolean;
  memberIds: string[];
  /** In order; the first is the default. */
  statuses: Status[];
  /** In order. */
  fields: Map<string, FieldDefinition>;
  groups: FieldGroup[];
}

export interface Definitions {
  version: number;
  /** The account's. */
  language: LanguageName;
  /** By order, then name. */
  kanbans: Map<string, KanbanDefinition>;
  defaultKanban: KanbanDefinition;
}

export interface DefinitionsCache {
  /** As this process last saw them: for what compares their version by itself. */
  known(accountId: string): Promise<Definitions>;
  /** As they are now: for reading. */
  fresh(accountId: string, reader?: Reader): Promise<Definitions>;
  /**
   * Runs a write against definitions that hold until it has committed. In a transaction nothing but a conversation may
   * have been locked before. A single statement must check their version and throw StaleDefinitions, and is then run again; a
   * transaction that is `checkedAtEnd` ends with require_current_definitions, and is then tried again as a whole.
   */
  withDefinitions<T>(
    tx: Tx,
    accountId: string,
    run: (definitions: Definitions) => Promise<T>,
    options?: { checkedAtEnd?: boolean },
  ): Promise<T>;
  drop(accountId: string): void;
}

/** For a transaction a conflict like any other: the whole of it is tried again. */
export class StaleDefinitions extends Error {
  readonly code = conflictCode;
}

const accountsKept = 1_000;
const staleTries = 5;
const noVersion = 0;

export function createDefinitionsCache(db: Db, capacity = accountsKept): DefinitionsCache {
  const kept = new LRUCache<string, Definitions>({ max: capacity });

  const load = async (reader: Reader, accountId: string): Promise<Definitions> => {
    const definitions = await loadDefinitions(reader, accountId);
    kept.set(accountId, definitions);
    return definitions;
  };
  const known = async (accountId: string) => kept.get(accountId) ?? load(db, accountId);
  const fresh = async (accountId: string, reader: Reader = db) => {
    const mine = kept.get(accountId);
    if (mine && mine.version === (await selectDefinitionsVersion(reader, accountId))) return mine;
    return load(reader, accountId);
  };
  /** Reads through the transaction: one that waited for a second connection could wait for others that do the same. */
  const hold = async (tx: Tx, accountId: string) => {
    const mine = kept.get(accountId);
    const current = await holdDefinitions(tx, accountId, mine?.version ?? noVersion);
    return mine && current ? mine : load(tx, accountId);
  };

  /** Saves the round trip of asking first. A refusal may come of definitions that are out of date, so it is checked. */
  const runKnown = async <T>(tx: Tx, accountId: string, run: (definitions: Definitions) => Promise<T>) => {
    const mine = kept.get(accountId) ?? (await load(tx, accountId));
    try {
      return await run(mine);
    } catch (error) {
      const isRefusal = error instanceof AppError && error.status < 500;
      if (isRefusal && mine.version === (await selectDefinitionsVersion(tx, accountId))) throw error;
      if (!isRefusal && !isConflict(error)) throw error;
      kept.delete(accountId);
      throw isRefusal ? new StaleDefinitions() : error;
    }
  };

  return {
    known,
    fresh,
    async withDefinitions(tx, accountId, run, { checkedAtEnd = false } = {}) {
      if (!tx.isOneStatement)
        return checkedAtEnd ? runKnown(tx, accountId, run) : run(await hold(tx, accountId));
      let definitions = await known(accountId);
      for (let tries = 1; tries <= staleTries; tries++) {
        try {
          return await run(definitions);
        } catch (error) {
          const stale = error instanceof StaleDefinitions;
          if (!stale && !(error instanceof AppError && error.status < 500)) throw error;
          const newer = await fresh(accountId);
          if (!stale && newer.version === definitions.version) throw error;
          definitions = newer;
        }
      }
      throw busy('the boards are being changed, retry in 2 seconds');
    },
    drop: (accountId) => kept.delete(accountId),
  };
}

export async function loadDefinitions(db: Reader, accountId: string): Promise<Definitions> {
  const rows = await selectDefinitions(db, accountId);
  const kanbans = new Map<string, KanbanDefinition>();
  // Ordered here and not by the database, whose idea of text order differs between servers and from ours.
  for (const kanban of rows.kanbans.sort(byOrderAndName)) {
    kanbans.set(kanban.id, { ...kanban, memberIds: [], statuses: [], fields: new Map(), groups: [] });
  }
  for (const { kanbanId, ...status } of rows.statuses) kanbans.get(kanbanId)?.statuses.push(status);
  for (const field of rows.fields) kanbans.get(field.kanbanId)?.fields.set(field.id, field);
  for (const group of rows.groups) kanbans.get(group.kanbanId)?.groups.push(group);
  for (const member of rows.members) kanbans.get(member.kanbanId)?.memberIds.push(member.userId);
  const defaultKanban = [...kanbans.values()].find((kanban) => kanban.isDefault);
  if (!defaultKanban) throw new Error(`account ${accountId} has no default kanban`);
  return { version: rows.version, language: rows.language, kanbans, defaultKanban };
}

type Ordered = { order: number; name: string; id: string };

export function byOrderAndName(a: Ordered, b: Ordered): number {
  if (a.order !== b.order) return a.order - b.order;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
