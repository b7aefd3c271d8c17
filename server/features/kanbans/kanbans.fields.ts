/** Custom fields and the groups they are shown in. */
import type { FieldCreate, FieldGroup, FieldUpdate } from '../../../contract/crm/kanbans.ts';
import { type FieldType, limits, searchableFieldTypes } from '../../../contract/limits.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type Actor, audit, differences, lockAccountConfig } from '../accounts/accounts.ts';
import {
  type Definitions,
  type FieldDefinition,
  type KanbanDefinition,
  loadDefinitions,
} from './kanbans.definitions.ts';
import type { RecordsOfKanban } from './kanbans.manage.ts';
import { maySee, requireKanban } from './kanbans.read.ts';
import {
  deleteField,
  deleteFieldGroup,
  insertField,
  insertFieldGroup,
  markSearchedFieldsChanged,
  touchKanban,
  updateField,
  updateFieldGroup,
} from './kanbans.sql.ts';

const phoneChannels = ['chatapp', 'chatapp_byot', 'chatapp_no', 'sms'];

export function systemFields(kanbanId: string, now: number): FieldDefinition[] {
  const system = (
    name: string,
    type: FieldType,
    order: number,
    boundToChannels: string[],
  ): FieldDefinition => ({
    id: newId(now),
    kanbanId,
    groupId: null,
    name,
    type,
    description: '',
    options: null,
    order,
    isSystem: true,
    boundToChannels,
    aiVisible: true,
    currency: null,
  });
  return [system('Phone', 'phone', 0, phoneChannels), system('E-mail', 'email', 1, [])];
}

/** Phone or E-mail, which every board has. */
export const systemField = (kanban: KanbanDefinition, type: 'phone' | 'email'): FieldDefinition | undefined =>
  [...kanban.fields.values()].find((field) => field.isSystem && field.type === type);

export function newField(
  kanbanId: string,
  input: FieldCreate & { order: number },
  groups: readonly FieldGroup[],
  now: number,
  path = '',
): FieldDefinition {
  const name = input.name.trim();
  if (!name) throw badRequest(`${path}name is required`);
  return {
    id: newId(now),
    kanbanId,
    groupId: checkGroup(input.groupId ?? null, groups, path),
    name,
    type: input.type,
    description: input.description ?? '',
    options: checkOptions(input.type, input.options ?? null, path),
    order: input.order,
    isSystem: false,
    boundToChannels: input.boundToChannels ?? [],
    aiVisible: input.aiVisible ?? true,
    currency: checkCurrency(input.type, input.currency ?? null, path),
  };
}

export async function createField(
  tx: Tx,
  actor: Actor,
  now: number,
  kanbanId: string | undefined,
  input: FieldCreate,
): Promise<FieldDefinition> {
  await lockAccountConfig(tx, actor.accountId);
  const definitions = await loadDefinitions(tx, actor.accountId);
  const kanban = requireKanban(definitions, actor, kanbanId);
  if (kanban.fields.size >= limits.fieldsPerKanban) {
    throw conflict(`a kanban has at most ${limits.fieldsPerKanban} fields`);
  }
  const order = input.order ?? nextOrder([...kanban.fields.values()]);
  const field = newField(kanban.id, { ...input, order }, kanban.groups, now);
  await insertField(tx, actor.accountId, field, now);
  await touchKanban(tx, actor.accountId, kanban.id, now);
  await audit(tx, actor, now, {
    action: 'field.created',
    target: { type: 'field', id: field.id },
    changes: differences({}, { name: field.name, type: field.type, kanbanId: kanban.id }),
  });
  return field;
}

export async function changeField(
  tx: Tx,
  actor: Actor,
  now: number,
  fieldId: string,
  change: FieldUpdate,
  records: RecordsOfKanban,
): Promise<FieldDefinition> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { field: before, kanban } = requireField(await loadDefinitions(tx, accountId), actor, fieldId);
  const type = change.type ?? before.type;
  if (type !== before.type) {
    if (before.isSystem) throw conflict('the type of a system field cannot be changed');
    const bothTexts = isText(type) && isText(before.type);
    if (!bothTexts && (await records.hasFieldValues(tx, accountId, kanban.id, fieldId))) {
      throw conflict('records have values in this field: its type can only change between text and textarea');
    }
  }
  const name = change.name === undefined ? before.name : change.name.trim();
  if (!name) throw badRequest('name is required');
  const options = change.options ?? (type === before.type || isSelect(before.type) ? before.options : null);
  const keptCurrency = type === before.type ? before.currency : null;
  const after: FieldDefinition = {
    ...before,
    type,
    name,
    description: change.description ?? before.description,
    options: checkOptions(type, isSelect(type) || change.options ? options : null, ''),
    order: change.order ?? before.order,
    groupId: change.groupId === undefined ? before.groupId : checkGroup(change.groupId, kanban.groups, ''),
    boundToChannels: change.boundToChannels ?? before.boundToChannels,
    aiVisible: change.aiVisible ?? before.aiVisible,
    currency: checkCurrency(type, change.currency === undefined ? keptCurrency : change.currency, ''),
  };
  await updateField(tx, accountId, after);
  await touchKanban(tx, accountId, kanban.id, now);
  if (isSearched(before.type) !== isSearched(after.type))
    await markSearchedFieldsChanged(tx, accountId, kanban.id);
  await audit(tx, actor, now, {
    action: 'field.updated',
    target: { type: 'field', id: fieldId },
    changes: differences(before, after),
  });
  return after;
}

export async function removeField(
  tx: Tx,
  actor: Actor,
  now: number,
  fieldId: string,
  records: RecordsOfKanban,
  isDryRun: boolean,
): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { field, kanban } = requireField(await loadDefinitions(tx, accountId), actor, fieldId);
  if (field.isSystem) throw conflict('a system field cannot be deleted');
  await records.deleteFieldValues(tx, actor, now, field, isDryRun);
  await deleteField(tx, accountId, fieldId);
  await touchKanban(tx, accountId, kanban.id, now);
  if (isSearched(field.type)) await markSearchedFieldsChanged(tx, accountId, kanban.id);
  await audit(tx, actor, now, {
    action: 'field.deleted',
    target: { type: 'field', id: fieldId },
    changes: { name: { from: field.name, to: null } },
  });
}

export async function createFieldGroup(
  tx: Tx,
  actor: Actor,
  now: number,
  kanbanId: string | undefined,
  input: { name: string; order?: number },
): Promise<FieldGroup> {
  await lockAccountConfig(tx, actor.accountId);
  const kanban = requireKanban(await loadDefinitions(tx, actor.accountId), actor, kanbanId);
  const name = input.name.trim();
  if (!name) throw badRequest('name is required');
  const group = { id: newId(now), kanbanId: kanban.id, name, order: input.order ?? nextOrder(kanban.groups) };
  await insertFieldGroup(tx, actor.accountId, group);
  await audit(tx, actor, now, {
    action: 'field_group.created',
    target: { type: 'field_group', id: group.id },
    changes: differences({}, { name }),
  });
  return group;
}

export async function changeFieldGroup(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: { name?: string; order?: number },
): Promise<FieldGroup> {
  await lockAccountConfig(tx, actor.accountId);
  const before = requireGroup(await loadDefinitions(tx, actor.accountId), actor, id);
  const name = change.name === undefined ? before.name : change.name.trim();
  if (!name) throw badRequest('name is required');
  const after = { ...before, name, order: change.order ?? before.order };
  await updateFieldGroup(tx, actor.accountId, after);
  await audit(tx, actor, now, {
    action: 'field_group.updated',
    target: { type: 'field_group', id },
    changes: differences(before, after),
  });
  return after;
}

export async function removeFieldGroup(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  await lockAccountConfig(tx, actor.accountId);
  const group = requireGroup(await loadDefinitions(tx, actor.accountId), actor, id);
  await deleteFieldGroup(tx, actor.accountId, id);
  await touchKanban(tx, actor.accountId, group.kanbanId, now);
  await audit(tx, actor, now, {
    action: 'field_group.deleted',
    target: { type: 'field_group', id },
    changes: { name: { from: group.name, to: null } },
  });
}

/** What is on a board that is closed to the caller does not exist for them. */
function requireField(
  definitions: Definitions,
  actor: Actor,
  fieldId: string,
): { field: FieldDefinition; kanban: KanbanDefinition } {
  for (const kanban of definitions.kanbans.values()) {
    const field = kanban.fields.get(fieldId);
    if (field && maySee(actor, kanban)) return { field, kanban };
  }
  throw notFound('field');
}

function requireGroup(definitions: Definitions, actor: Actor, id: string): FieldGroup {
  for (const kanban of definitions.kanbans.values()) {
    const group = kanban.groups.find((one) => one.id === id);
    if (group && maySee(actor, kanban)) return group;
  }
  throw notFound('field group');
}

function checkGroup(groupId: string | null, groups: readonly FieldGroup[], path: string): string | null {
  if (groupId !== null && !groups.some((group) => group.id === groupId)) {
    throw badRequest(`${path}groupId is not a field group of this kanban`);
  }
  return groupId;
}

function checkOptions(type: FieldType, options: string[] | null, path: string): string[] | null {
  if (isSelect(type)) {
    if (!options || options.length === 0) throw badRequest(`${path}options must have at least 1 item`);
    return options;
  }
  if (options && options.length > 0) throw badRequest(`${path}options are only for select and multiselect`);
  return null;
}

const isSelect = (type: FieldType) => type === 'select' || type === 'multiselect';
const isSearched = (type: FieldType) => searchableFieldTypes.includes(type);
const isText = (type: FieldType) => type === 'text' || type === 'textarea';

/** The last place. At the maximum order, items share it and are sorted by creation. */
export function nextOrder(items: readonly { order: number }[]): number {
  const last = items.reduce((highest, item) => Math.max(highest, item.order + 1), 0);
  return Math.min(last, limits.order.max);
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

function checkCurrency(type: FieldType, currency: string | null, path: string): string | null {
  if (currency === null) return null;
  if (type !== 'currency') throw badRequest(`${path}currency requires type currency`);
  if (!currencies.has(currency)) throw badRequest(`${path}currency must be an ISO 4217 code`);
  return currency;
}
