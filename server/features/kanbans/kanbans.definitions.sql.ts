import type { FieldGroup, Status } from '../../../contract/crm/kanbans.ts';
import type { LanguageName } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { FieldDefinition, KanbanDefinition } from './kanbans.definitions.ts';

export interface DefinitionRows {
  version: number;
  language: LanguageName;
  kanbans: Omit<KanbanDefinition, 'memberIds' | 'statuses' | 'fields' | 'groups'>[];
  statuses: (Status & { kanbanId: string })[];
  fields: FieldDefinition[];
  groups: FieldGroup[];
  members: { kanbanId: string; userId: string }[];
}

/** One statement, so that version and content are consistent. */
export async function selectDefinitions(db: Reader, accountId: string): Promise<DefinitionRows> {
  const [row] = await db.query<DefinitionRows>(sql`
    select a.definitions_version as version, a.language,
      (select coalesce(json_agg(k), '[]') from (
        select id, name, slug, description, is_default as "isDefault", position as "order",
          created_at as "createdAt", updated_at as "updatedAt", is_restricted as "isRestricted"
        from kanbans where account_id = a.id) k) as kanbans,
      (select coalesce(json_agg(s), '[]') from (
        select kanban_id as "kanbanId", value, label, color
        from kanban_statuses where account_id = a.id order by kanban_id, position) s) as statuses,
      (select coalesce(json_agg(f), '[]') from (
        select id, kanban_id as "kanbanId", group_id as "groupId", name, type, description, options,
          position as "order", is_system as "isSystem", bound_to_channels as "boundToChannels",
          ai_visible as "aiVisible", currency
        from kanban_fields where account_id = a.id order by kanban_id, position, created_at, id) f) as fields,
      (select coalesce(json_agg(g), '[]') from (
        select id, kanban_id as "kanbanId", name, position as "order"
        from field_groups where account_id = a.id order by kanban_id, position, id) g) as groups,
      (select coalesce(json_agg(m), '[]') from (
        select kanban_id as "kanbanId", user_id as "userId"
        from kanban_members where account_id = a.id order by kanban_id, user_id) m) as members
    from accounts a where a.id = ${accountId}`);
  if (!row) throw new Error(`account ${accountId} does not exist`);
  return row;
}

export async function selectDefinitionsVersion(db: Reader, accountId: string): Promise<number | null> {
  const [row] = await db.query<{ version: number }>(
    sql`select definitions_version as version from accounts where id = ${accountId}`,
  );
  return row?.version ?? null;
}

/** Either way the definitions cannot change before the transaction ends. */
export async function holdDefinitions(tx: Tx, accountId: string, version: number): Promise<boolean> {
  const [row] = await tx.query<{ current: boolean }>(
    sql`select definitions_are_current(${accountId}, ${version}) as current`,
  );
  return row!.current;
}
