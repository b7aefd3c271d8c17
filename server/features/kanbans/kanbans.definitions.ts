/**
 * Boards, statuses, fields and members of an account, as one value. They change rarely and every record write needs
 * them, so each process keeps them with their version. A write checks that version inside its own statement
 * (`definitions_are_current`); a refusal that was decided on kept definitions is decided again on fresh ones.
 */
import type { FieldGroup, Status } from '../../../contract/kanbans.ts';
import type { FieldType } from '../../../contract/limits.ts';
import type { Db, Reader } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { selectDefinitions, selectDefinitionsVersion } from './kanbans.definitions.sql.ts';

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
  /** By order, then name. */
  kanbans: Map<string, KanbanDefinition>;
  defaultKanban: KanbanDefinition;
}

export interface DefinitionsCache {
  /** As this process last saw them: for a write that checks their version. */
  known(accountId: string): Promise<Definitions>;
  /** As they are now: for reading. */
  fresh(accountId: string): Promise<Definitions>;
  /**
   * Runs a write against known definitions, and again against fresh ones if they turn out to be stale: either
   * because the statement said so (StaleDefinitions) or because a rule refused something that they do not have.
   * Inside a transaction they are read through it: while every connection holds a transaction that waits for another
   * connection, nobody gets one.
   */
  withDefinitions<T>(
    accountId: string,
    run: (definitions: Definitions) => Promise<T>,
    reader?: Reader,
  ): Promise<T>;
  drop(accountId: string): void;
}

export class StaleDefinitions extends Error {}

const accountsKept = 1_000;
const staleTries = 5;

export function createDefinitionsCache(db: Db): DefinitionsCache {
  const kept = new Map<string, Definitions>();

  const load = async (accountId: string, reader: Reader): Promise<Definitions> => {
    const definitions = await loadDefinitions(reader, accountId);
    if (kept.size >= accountsKept) kept.delete(kept.keys().next().value!);
    kept.set(accountId, definitions);
    return definitions;
  };
  const known = async (accountId: string, reader: Reader = db) =>
    kept.get(accountId) ?? load(accountId, reader);
  const fresh = async (accountId: string, reader: Reader = db) => {
    const mine = kept.get(accountId);
    if (mine && mine.version === (await selectDefinitionsVersion(reader, accountId))) return mine;
    return load(accountId, reader);
  };

  return {
    known: (accountId) => known(accountId),
    fresh: (accountId) => fresh(accountId),
    async withDefinitions(accountId, run, reader = db) {
      let definitions = await known(accountId, reader);
      for (let tries = 1; ; tries++) {
        try {
          return await run(definitions);
        } catch (error) {
          if (!(error instanceof StaleDefinitions) && !(error instanceof AppError)) throw error;
          const newer = await fresh(accountId, reader);
          if (newer.version === definitions.version || tries >= staleTries) throw error;
          definitions = newer;
        }
      }
    },
    drop: (accountId) => void kept.delete(accountId),
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
  return { version: rows.version, kanbans, defaultKanban };
}

type Ordered = { order: number; name: string; id: string };

export function byOrderAndName(a: Ordered, b: Ordered): number {
  if (a.order !== b.order) return a.order - b.order;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
