import type { Status } from '../../../contract/crm/kanbans.ts';
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { FieldDefinition } from './kanbans.definitions.ts';

export interface KanbanRow {
  id: string;
  name: string;
  slug: string;
  description: string;
  isDefault: boolean;
  order: number;
}

export async function insertKanban(tx: Tx, accountId: string, kanban: KanbanRow, now: number): Promise<void> {
  await tx.query(sql`
    insert into kanbans (account_id, id, name, slug, description, is_default, position, created_at, updated_at)
    values (${accountId}, ${kanban.id}, ${kanban.name}, ${kanban.slug}, ${kanban.description}, ${kanban.isDefault},
      ${kanban.order}, ${now}, ${now})`);
}

export async function updateKanban(tx: Tx, accountId: string, kanban: KanbanRow, now: number): Promise<void> {
  await tx.query(sql`
    update kanbans set name = ${kanban.name}, slug = ${kanban.slug}, description = ${kanban.description},
      is_default = ${kanban.isDefault}, position = ${kanban.order}, updated_at = ${now}
    where account_id = ${accountId} and id = ${kanban.id}`);
}

export async function clearDefaultKanban(tx: Tx, accountId: string, now: number): Promise<void> {
  await tx.query(
    sql`update kanbans set is_default = false, updated_at = ${now} where account_id = ${accountId} and is_default`,
  );
}

export async function touchKanban(tx: Tx, accountId: string, kanbanId: string, now: number): Promise<void> {
  await tx.query(
    sql`update kanbans set updated_at = ${now} where account_id = ${accountId} and id = ${kanbanId}`,
  );
}

export async function deleteKanban(tx: Tx, accountId: string, kanbanId: string): Promise<void> {
  await tx.query(sql`delete from kanbans where account_id = ${accountId} and id = ${kanbanId}`);
}

export async function replaceStatuses(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  statuses: Status[],
): Promise<void> {
  await tx.query(
    sql`delete from kanban_statuses where account_id = ${accountId} and kanban_id = ${kanbanId}`,
  );
  await tx.query(sql`
    insert into kanban_statuses (account_id, kanban_id, value, label, color, position)
    select ${accountId}::uuid, ${kanbanId}::uuid, s.value, s.label, s.color, s.place - 1
    from unnest(${statuses.map((s) => s.value)}::text[], ${statuses.map((s) => s.label)}::text[],
      ${statuses.map((s) => s.color)}::text[]) with ordinality as s (value, label, color, place)`);
}

export async function replaceMembers(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  userIds: string[],
): Promise<void> {
  await tx.query(sql`delete from kanban_members where account_id = ${accountId} and kanban_id = ${kanbanId}`);
  await tx.query(sql`
    insert into kanban_members (account_id, kanban_id, user_id)
    select ${accountId}::uuid, ${kanbanId}::uuid, user_id from unnest(${userIds}::uuid[]) as m (user_id)`);
  await tx.query(sql`
    update kanbans set is_restricted = ${userIds.length > 0} where account_id = ${accountId} and id = ${kanbanId}`);
}

export async function insertField(
  tx: Tx,
  accountId: string,
  field: FieldDefinition,
  now: number,
): Promise<void> {
  await tx.query(sql`
    insert into kanban_fields (account_id, id, kanban_id, group_id, name, type, description, options, position,
      is_system, bound_to_channels, ai_visible, currency, created_at)
    values (${accountId}, ${field.id}, ${field.kanbanId}, ${field.groupId}, ${field.name}, ${field.type},
      ${field.description}, ${field.options}, ${field.order}, ${field.isSystem}, ${field.boundToChannels},
      ${field.aiVisible}, ${field.currency}, ${now})`);
}

export async function updateField(tx: Tx, accountId: string, field: FieldDefinition): Promise<void> {
  await tx.query(sql`
    update kanban_fields set group_id = ${field.groupId}, name = ${field.name}, type = ${field.type},
      description = ${field.description}, options = ${field.options}, position = ${field.order},
      bound_to_channels = ${field.boundToChannels}, ai_visible = ${field.aiVisible},
      currency = ${field.currency}
    where account_id = ${accountId} and id = ${field.id}`);
}

/**
 * Fields bound to a channel by its old name are bound by the new one too. Null: the channel is deleted. The old name
 * stays where it still means something else.
 */
export async function replaceBinding(
  tx: Tx,
  accountId: string,
  from: string,
  to: string | null,
  keepsOld: boolean,
): Promise<void> {
  await tx.query(sql`
    update kanban_fields set bound_to_channels =
      case when ${keepsOld} then bound_to_channels else array_remove(bound_to_channels, ${from}::text) end
      || case when ${to}::text is null or ${to}::text = any(bound_to_channels) then '{}' else array[${to}::text] end
    where account_id = ${accountId} and ${from}::text = any(bound_to_channels)`);
}

/** The search reloads all records of the board: the set of searched fields has changed. */
export async function markSearchedFieldsChanged(tx: Tx, accountId: string, kanbanId: string): Promise<void> {
  await tx.query(sql`
    update kanbans set fields_changed_xid = pg_current_xact_id() where account_id = ${accountId} and id = ${kanbanId}`);
}

export async function deleteField(tx: Tx, accountId: string, fieldId: string): Promise<void> {
  await tx.query(sql`delete from kanban_fields where account_id = ${accountId} and id = ${fieldId}`);
}

export async function insertFieldGroup(
  tx: Tx,
  accountId: string,
  group: { id: string; kanbanId: string; name: string; order: number },
): Promise<void> {
  await tx.query(sql`
    insert into field_groups (account_id, id, kanban_id, name, position)
    values (${accountId}, ${group.id}, ${group.kanbanId}, ${group.name}, ${group.order})`);
}

export async function updateFieldGroup(
  tx: Tx,
  accountId: string,
  group: { id: string; name: string; order: number },
): Promise<void> {
  await tx.query(sql`
    update field_groups set name = ${group.name}, position = ${group.order}
    where account_id = ${accountId} and id = ${group.id}`);
}

export async function deleteFieldGroup(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from field_groups where account_id = ${accountId} and id = ${id}`);
}

/** Statuses, fields, groups, members and saved views go with them. */
export async function eraseKanbans(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from kanbans where account_id = ${accountId} and id = any(${ids}::uuid[])`, {
    timeoutMs: 60_000,
  });
}
