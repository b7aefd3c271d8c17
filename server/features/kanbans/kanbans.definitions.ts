/**
 * Boards, statuses, fields and members of an account, as one value. They change rarely and every record write needs
 * them, so each process caches them with their version. Channels and agents have the same version
 * (channels.account-config.ts). Locks are taken in one order everywhere: a conversation, then the definitions, then
 * records. A change of definitions locks records too, so a record that is locked first would deadlock with it;
 * definitions that are locked before a conversation would do so by way of a change that waits for them.
 */
import { LRUCache } from 'lru-cache';
import type { FieldGroup, Status } from '../../../contract/crm/kanbans.ts';
import type { FieldType, LanguageName } from '../../../contract/limits.ts';
import { conflictCode, type Db, isConflict, type Reader, type Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { accountConfigTopic } from '../accounts/accounts.ts';
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
  /** Of a field of type currency. */
  currency: string | null;
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
  /** As this process last saw them: for code that compares their version itself. */
  known(accountId: string): Promise<Definitions>;
  /** The current ones: for reading. */
  fresh(accountId: string, reader?: Reader): Promise<Definitions>;
  /**
   * Runs a write against definitions that it locks until it has committed. Nothing but a conversation may have been
   * locked before.
   */
  withDefinitions<T>(tx: Tx, accountId: string, run: (definitions: Definitions) => Promise<T>): Promise<T>;
  /**
   * For a write that locks a conversation first, and whose statement compares the version (require_current_definitions):
   * the definitions as this process last saw them. If they have changed, the whole transaction is tried again.
   */
  withKnownDefinitions<T>(
    tx: Tx,
    accountId: string,
    run: (definitions: Definitions) => Promise<T>,
  ): Promise<T>;
}

/** The definitions have changed: the whole transaction is tried again, as after any other conflict. */
export class StaleDefinitions extends Error {
  readonly code = conflictCode;
}

const accountsKept = 1_000;
const noVersion = 0;

export function createDefinitionsCache(db: Db, capacity = accountsKept): DefinitionsCache {
  const kept = new LRUCache<string, Definitions>({ max: capacity });
  db.onInvalidate(accountConfigTopic, (accountId) => kept.delete(accountId));

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
  /** Reads through the transaction: waiting for a second connection could deadlock with others that do the same. */
  const hold = async (tx: Tx, accountId: string) => {
    const mine = kept.get(accountId);
    const current = await holdDefinitions(tx, accountId, mine?.version ?? noVersion);
    return mine && current ? mine : load(tx, accountId);
  };

  /** A rejection may come of definitions that are out of date, so it is checked. */
  const runKnown = async <T>(tx: Tx, accountId: string, run: (definitions: Definitions) => Promise<T>) => {
    const mine = kept.get(accountId) ?? (await load(tx, accountId));
    try {
      return await run(mine);
    } catch (error) {
      const isRejection = error instanceof AppError && error.status < 500;
      if (isRejection && mine.version === (await selectDefinitionsVersion(tx, accountId))) throw error;
      if (!isRejection && !isConflict(error)) throw error;
      kept.delete(accountId);
      throw isRejection ? new StaleDefinitions() : error;
    }
  };

  return {
    known,
    fresh,
    withDefinitions: async (tx, accountId, run) => run(await hold(tx, accountId)),
    withKnownDefinitions: runKnown,
  };
}

export async function loadDefinitions(db: Reader, accountId: string): Promise<Definitions> {
  const rows = await selectDefinitions(db, accountId);
  const kanbans = new Map<string, KanbanDefinition>();
  // Ordered here and not by the database, whose collation differs between servers.
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
