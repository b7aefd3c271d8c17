/** Who sees which board, and how definitions look on the wire. */
import type { Field, Kanban, KanbanField } from '../../../contract/crm/kanbans.ts';
import type { Role } from '../../../contract/limits.ts';
import { notFound } from '../../platform/http/errors.ts';
import { type Actor, isOperator, personOf } from '../accounts/accounts.ts';
import { boundChannelNames, type NamedChannel } from './kanbans.bindings.ts';
import type {
  Definitions,
  DefinitionsCache,
  FieldDefinition,
  KanbanDefinition,
} from './kanbans.definitions.ts';

export function maySee(actor: Actor, kanban: KanbanDefinition): boolean {
  const person = personOf(actor);
  return person === null || userMaySee(person, kanban);
}

/** For someone other than the caller: a colleague who is to be notified. */
export const userMaySee = (user: { id: string; role: Role }, kanban: KanbanDefinition): boolean =>
  user.role !== 'operator' || !kanban.isRestricted || kanban.memberIds.includes(user.id);

/**
 * The ids of the boards that an actor may see; null: all of them. For queries that must not read from a board that is
 * closed to the actor. Given the cache, it looks at the boards as they are now, and only where the actor is an operator.
 */
export function visibleTo(actor: Actor, definitions: Definitions): string[] | null;
export function visibleTo(actor: Actor, definitions: DefinitionsCache): Promise<string[] | null>;
export function visibleTo(
  actor: Actor,
  definitions: Definitions | DefinitionsCache,
): string[] | null | Promise<string[] | null> {
  if ('fresh' in definitions) {
    if (!isOperator(actor)) return Promise.resolve(null);
    return definitions.fresh(actor.accountId).then((current) => visibleTo(actor, current));
  }
  if (!isOperator(actor)) return null;
  return [...definitions.kanbans.values()]
    .filter((kanban) => maySee(actor, kanban))
    .map((kanban) => kanban.id);
}

/** By id first, then by slug; a board closed to the caller does not exist for them. */
export function findKanban(
  definitions: Definitions,
  actor: Actor,
  idOrSlug: string,
): KanbanDefinition | null {
  const kanban =
    definitions.kanbans.get(idOrSlug) ??
    [...definitions.kanbans.values()].find((candidate) => candidate.slug === idOrSlug);
  return kanban && maySee(actor, kanban) ? kanban : null;
}

/** The board that a create or a query names by id, or the default one. */
export function requireKanban(
  definitions: Definitions,
  actor: Actor,
  id: string | undefined,
): KanbanDefinition {
  const kanban = id === undefined ? definitions.defaultKanban : definitions.kanbans.get(id);
  if (!kanban || !maySee(actor, kanban)) throw notFound('kanban');
  return kanban;
}

export function toKanban(kanban: KanbanDefinition): Kanban {
  const { id, name, slug, description, isDefault, order, createdAt, updatedAt, memberIds, statuses } = kanban;
  const fields = [...kanban.fields.values()].map(toKanbanField);
  return { id, name, slug, description, isDefault, order, createdAt, updatedAt, memberIds, statuses, fields };
}

function toKanbanField(field: FieldDefinition): KanbanField {
  const { id, name, type, description, options, currency, order, isSystem, groupId } = field;
  const only = { ...(options && { options }), ...(currency && { currency }) };
  return { id, name, type, description, ...only, order, isSystem, groupId };
}

export function toField(field: FieldDefinition, channels: readonly NamedChannel[]): Field {
  const { id, kanbanId, name, type, description, options, currency, order } = field;
  const { isSystem, groupId, aiVisible } = field;
  return {
    fieldId: id,
    kanbanId,
    name,
    type,
    description,
    ...(options && { options }),
    ...(currency && { currency }),
    order,
    isSystem,
    boundToChannels: boundChannelNames(field, channels),
    channelBindings: field.boundToChannels,
    groupId,
    aiVisible,
  };
}
