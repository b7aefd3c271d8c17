/** Creating, changing and deleting boards, their statuses and members. */
import type {
  Kanban,
  KanbanCreate,
  KanbanUpdate,
  Status,
  StatusInput,
} from '../../../contract/crm/kanbans.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest, conflict } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import {
  type Actor,
  audit,
  checkUserIds,
  differences,
  lockAccountConfig,
  releaseOwnersJobKind,
} from '../accounts/accounts.ts';
import { type KanbanDefinition, loadDefinitions } from './kanbans.definitions.ts';
import { newField, nextOrder, systemFields } from './kanbans.fields.ts';
import { requireKanban, toKanban } from './kanbans.read.ts';
import {
  clearDefaultKanban,
  deleteKanban,
  insertField,
  insertKanban,
  replaceMembers,
  replaceStatuses,
  touchKanban,
  updateKanban,
} from './kanbans.sql.ts';

/**
 * What boards need to know about their records. Records are below boards in the order of features, so they implement
 * this interface, and app.ts passes it in.
 */
export interface RecordsOfKanban {
  hasRecords(tx: Tx, accountId: string, kanbanId: string): Promise<boolean>;
  hasRecordsWithStatus(tx: Tx, accountId: string, kanbanId: string, statuses: string[]): Promise<boolean>;
  /** Moves them and emits crm_field_update for each. */
  moveRecords(
    tx: Tx,
    actor: Actor,
    now: number,
    kanban: KanbanDefinition,
    from: string[],
    to: string,
  ): Promise<void>;
  hasFieldValues(tx: Tx, accountId: string, kanbanId: string, fieldId: string): Promise<boolean>;
  /**
   * The values are removed with the transaction; a crm_field_update for each record follows after it. In a dry run
   * the events are emitted at once, to be reported.
   */
  deleteFieldValues(
    tx: Tx,
    actor: Actor,
    now: number,
    field: { id: string; kanbanId: string; name: string },
    isDryRun: boolean,
  ): Promise<void>;
}

const firstStatuses: Status[] = [
  { value: 'new', label: 'New', color: '#3b82f6' },
  { value: 'in_progress', label: 'In progress', color: '#f59e0b' },
  { value: 'done', label: 'Done', color: '#22c55e' },
];

export async function createKanban(tx: Tx, actor: Actor, now: number, input: KanbanCreate): Promise<Kanban> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { kanbans } = await loadDefinitions(tx, accountId);
  return insertWholeKanban(tx, actor, now, input, [...kanbans.values()]);
}

/** The initial board of every account. */
export async function startAccountWithKanban(tx: Tx, actor: Actor, now: number): Promise<void> {
  await insertWholeKanban(tx, actor, now, { name: 'Sales', isDefault: true }, []);
}

async function insertWholeKanban(
  tx: Tx,
  actor: Actor,
  now: number,
  input: KanbanCreate,
  others: KanbanDefinition[],
): Promise<Kanban> {
  const { accountId } = actor;
  const name = requireName(input.name);
  const slugs = others.map((kanban) => kanban.slug);
  if (input.slug !== undefined && slugs.includes(input.slug)) throw conflict('slug is already in use');
  const kanban = {
    id: newId(now),
    name,
    slug: input.slug ?? uniqueName(slugOf(name, 'board'), slugs),
    description: input.description ?? '',
    isDefault: input.isDefault ?? false,
    order: input.order ?? nextOrder(others),
  };
  const statuses = checkStatuses(input.statuses ?? firstStatuses, []);
  const fields = [...systemFields(kanban.id, now)];
  for (const [index, field] of (input.fields ?? []).entries()) {
    fields.push(newField(kanban.id, { order: fields.length, ...field }, [], now, `fields[${index}].`));
  }
  if (kanban.isDefault) await clearDefaultKanban(tx, accountId, now);
  await insertKanban(tx, accountId, kanban, now);
  await replaceStatuses(tx, accountId, kanban.id, statuses);
  for (const field of fields) await insertField(tx, accountId, field, now);
  await audit(tx, actor, now, {
    action: 'kanban.created',
    target: { type: 'kanban', id: kanban.id },
    changes: differences({}, { name, slug: kanban.slug }),
  });
  return readKanban(tx, accountId, kanban.id);
}

export async function changeKanban(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: KanbanUpdate,
): Promise<Kanban> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const definitions = await loadDefinitions(tx, accountId);
  const before = requireKanban(definitions, actor, id);
  if (before.isDefault && change.isDefault === false) {
    throw conflict('there is always a default kanban: make another one the default instead');
  }
  const others = [...definitions.kanbans.values()].filter((kanban) => kanban.id !== id);
  if (change.slug !== undefined && others.some((kanban) => kanban.slug === change.slug)) {
    throw conflict('slug is already in use');
  }
  const after = {
    id,
    name: change.name === undefined ? before.name : requireName(change.name),
    slug: change.slug ?? before.slug,
    description: change.description ?? before.description,
    isDefault: change.isDefault ?? before.isDefault,
    order: change.order ?? before.order,
  };
  if (after.isDefault && !before.isDefault) await clearDefaultKanban(tx, accountId, now);
  await updateKanban(tx, accountId, after, now);
  await audit(tx, actor, now, {
    action: 'kanban.updated',
    target: { type: 'kanban', id },
    changes: differences(before, after),
  });
  return readKanban(tx, accountId, id);
}

export async function removeKanban(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  records: RecordsOfKanban,
): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const kanban = requireKanban(await loadDefinitions(tx, accountId), actor, id);
  if (kanban.isDefault)
    throw conflict('the default kanban cannot be deleted: make another one the default first');
  if (await records.hasRecords(tx, accountId, id)) throw conflict('this kanban still has records');
  await deleteKanban(tx, accountId, id);
  await audit(tx, actor, now, {
    action: 'kanban.deleted',
    target: { type: 'kanban', id },
    changes: { name: { from: kanban.name, to: null } },
  });
}

export async function putStatuses(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  input: { statuses: StatusInput[]; moveTo?: string },
  records: RecordsOfKanban,
): Promise<Kanban> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const kanban = requireKanban(await loadDefinitions(tx, accountId), actor, id);
  const statuses = checkStatuses(input.statuses, kanban.statuses);
  const values = statuses.map((status) => status.value);
  const { moveTo } = input;
  if (moveTo !== undefined && !values.includes(moveTo)) {
    throw badRequest(`moveTo must be one of ${values.join(', ')}`);
  }
  const removed = kanban.statuses.map((status) => status.value).filter((value) => !values.includes(value));
  if (removed.length > 0) {
    if (moveTo !== undefined) await records.moveRecords(tx, actor, now, kanban, removed, moveTo);
    else if (await records.hasRecordsWithStatus(tx, accountId, id, removed)) {
      throw conflict('records still have a removed status: set moveTo');
    }
  }
  await replaceStatuses(tx, accountId, id, statuses);
  await touchKanban(tx, accountId, id, now);
  await audit(tx, actor, now, {
    action: 'kanban.statuses_changed',
    target: { type: 'kanban', id },
    changes: { ...differences({ statuses: kanban.statuses }, { statuses }), ...(moveTo && { moveTo }) },
  });
  return readKanban(tx, accountId, id);
}

export async function putMembers(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  userIds: string[],
): Promise<Kanban> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const kanban = requireKanban(await loadDefinitions(tx, accountId), actor, id);
  const members = [...new Set(userIds)];
  await checkUserIds(tx, accountId, members, 'userIds');
  await replaceMembers(tx, accountId, id, members);
  await enqueue(tx, { accountId, kind: releaseOwnersJobKind });
  await touchKanban(tx, accountId, id, now);
  await audit(tx, actor, now, {
    action: 'kanban.members_changed',
    target: { type: 'kanban', id },
    changes: differences({ userIds: kanban.memberIds }, { userIds: members }),
  });
  return readKanban(tx, accountId, id);
}

/** A status without a value is the existing one of the same label, or a new one. */
function checkStatuses(input: StatusInput[], present: readonly Status[]): Status[] {
  const given = input.flatMap((status) => status.value ?? []);
  const statuses: Status[] = [];
  for (const [index, { value, label, color }] of input.entries()) {
    const taken = [...given, ...statuses.map((status) => status.value)];
    const name = label.trim();
    if (!name) throw badRequest(`statuses[${index}].label is required`);
    const same = present.find((status) => status.label === name && !taken.includes(status.value));
    const made = same?.value ?? uniqueName(slugOf(name, 'status'), taken);
    statuses.push({ value: value ?? made, label: name, color });
  }
  const repeated = statuses.find(
    (status, index) => statuses.findIndex((one) => one.value === status.value) < index,
  );
  if (repeated) throw badRequest(`statuses has the value ${repeated.value} twice`);
  return statuses;
}

function requireName(text: string): string {
  const name = text.trim();
  if (!name) throw badRequest('name is required');
  return name;
}

/** Also for a user who has just closed it to themselves. */
async function readKanban(tx: Tx, accountId: string, id: string): Promise<Kanban> {
  const { kanbans } = await loadDefinitions(tx, accountId);
  return toKanban(kanbans.get(id)!);
}

/** Makes a slug (`a-z0-9-`) from a name in any script, as far as it has Latin letters or digits. */
function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-+|-+$/g, '');
  return slug || fallback;
}

/** The name itself, or with the first free number from 2. */
function uniqueName(name: string, taken: readonly string[]): string {
  let candidate = name;
  for (let number = 2; taken.includes(candidate); number++) candidate = `${name}-${number}`;
  return candidate;
}
