/** Views of the inbox: private, or shared with everyone of the account. They have the same owners' rights as macros. */
import type { InboxView, InboxViewCreate, InboxViewUpdate } from '../../../contract/inbox-views.ts';
import { limits } from '../../../contract/limits.ts';
import { isUniqueViolation, type Reader, type Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, forbidden, limitReached, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, may, personOf } from '../accounts/accounts.ts';
import type { AccountConfigCache } from '../channels/channels.ts';
import { checkConditions, sessionKinds } from '../conditions/conditions.ts';
import {
  countInboxViewsLocked,
  deleteInboxView,
  insertInboxView,
  lockInboxView,
  selectInboxViews,
  updateInboxView,
} from './inbox-views.sql.ts';

export { handOverInboxViews } from './inbox-views.sql.ts';

interface ViewDeps {
  accountConfig: Pick<AccountConfigCache, 'fresh'>;
}

export const listInboxViews = (db: Reader, actor: Actor): Promise<InboxView[]> =>
  selectInboxViews(db, actor.accountId, personOf(actor)?.id ?? null);

export async function createInboxView(
  tx: Tx,
  deps: ViewDeps,
  actor: Actor,
  now: number,
  input: InboxViewCreate,
): Promise<InboxView> {
  const { accountId } = actor;
  const owner = personOf(actor);
  if (owner === null) throw forbidden('a view belongs to a user');
  const shared = input.shared ?? false;
  const filter = input.filter ?? null;
  await checkFilter(tx, deps, accountId, owner.id, filter);
  const last = await requireRoom(tx, accountId, owner.id, shared);
  const view: InboxView = {
    id: newId(now),
    name: checkName(input.name),
    shared,
    ownerId: owner.id,
    filter,
    sort: input.sort ?? 'newest',
    order: input.order ?? Math.min((last ?? 0) + 1, limits.order.max),
    createdAt: now,
    updatedAt: now,
  };
  await insertInboxView(tx, accountId, view).catch(nameIsTaken);
  return view;
}

export async function changeInboxView(
  tx: Tx,
  deps: ViewDeps,
  actor: Actor,
  now: number,
  id: string,
  change: InboxViewUpdate,
): Promise<InboxView> {
  const { accountId } = actor;
  const before = await requireOwnView(tx, actor, id);
  const after: InboxView = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    shared: change.shared ?? before.shared,
    filter: change.filter === undefined ? before.filter : change.filter,
    sort: change.sort ?? before.sort,
    order: change.order ?? before.order,
    updatedAt: Math.max(now, before.updatedAt + 1),
  };
  if (change.filter !== undefined) await checkFilter(tx, deps, accountId, before.ownerId, after.filter);
  if (after.shared !== before.shared) await requireRoom(tx, accountId, before.ownerId, after.shared);
  await updateInboxView(tx, accountId, after).catch(nameIsTaken);
  return after;
}

export async function removeInboxView(tx: Tx, actor: Actor, id: string): Promise<void> {
  const view = await requireOwnView(tx, actor, id);
  await deleteInboxView(tx, actor.accountId, view.id);
}

/** Private ones do not exist for others; shared ones can also be changed by administrators. */
async function requireOwnView(tx: Tx, actor: Actor, id: string): Promise<InboxView> {
  const view = isId(id) ? await lockInboxView(tx, actor.accountId, id) : null;
  if (!view) throw notFound('view');
  if (view.ownerId === personOf(actor)?.id) return view;
  if (!view.shared) throw notFound('view');
  if (!may(actor, 'shared.manage')) {
    throw forbidden('only its owner or an administrator may change a shared view');
  }
  return view;
}

async function checkFilter(
  tx: Tx,
  { accountConfig }: ViewDeps,
  accountId: string,
  me: string,
  filter: InboxView['filter'],
): Promise<void> {
  if (filter === null) return;
  const config = await accountConfig.fresh(accountId, tx);
  const { byId } = config.directory.hours;
  const fieldOf = () => undefined;
  const hasHours = (hoursId: string) => byId.has(hoursId);
  await checkConditions(filter, { db: tx, accountId, config, fieldOf, hasHours, me }, 'filter', sessionKinds);
  const max = limits.inboxViews.filterLength;
  if (JSON.stringify(filter).length > max) throw badRequest(`filter must have at most ${max} characters`);
}

/** The last place of the views that the owner sees. */
async function requireRoom(
  tx: Tx,
  accountId: string,
  ownerId: string,
  shared: boolean,
): Promise<number | null> {
  const counts = await countInboxViewsLocked(tx, accountId, ownerId);
  const max = limits.inboxViews;
  if (shared && counts.shared >= max.shared) {
    throw limitReached(`an account can have at most ${max.shared} shared views`);
  }
  if (!shared && counts.own >= max.private) {
    throw limitReached(`a user can have at most ${max.private} private views`);
  }
  return counts.last;
}

function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest('name is required');
  return name;
}

function nameIsTaken(error: unknown): never {
  if (
    isUniqueViolation(error, 'inbox_views_shared_name') ||
    isUniqueViolation(error, 'inbox_views_own_name')
  ) {
    throw conflict('name is already in use');
  }
  throw error;
}
