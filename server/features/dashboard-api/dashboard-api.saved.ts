/** Saved views of boards and saved replies: private, or shared with everyone. */
import type {
  SavedReply,
  SavedReplyCreate,
  SavedReplyUpdate,
  SavedView,
  SavedViewCreate,
  SavedViewUpdate,
} from '../../../contract/dashboard.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest, forbidden, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { may, type UserActor } from '../accounts/accounts.ts';
import { type Definitions, maySee, requireKanban } from '../kanbans/kanbans.ts';
import {
  deleteReply,
  deleteView,
  insertReply,
  insertView,
  lockReply,
  lockView,
  updateReply,
  updateView,
} from './dashboard-api.saved.sql.ts';

const settingsBytes = 32_768;

export async function createView(
  tx: Tx,
  actor: UserActor,
  now: number,
  definitions: Definitions,
  input: SavedViewCreate & { kanbanId: string },
): Promise<SavedView> {
  const kanban = requireKanban(definitions, actor, input.kanbanId);
  const view: SavedView = {
    id: newId(now),
    kanbanId: kanban.id,
    name: checkName(input.name),
    shared: input.shared ?? false,
    ownerId: actor.id,
    settings: checkSettings(input.settings),
    createdAt: now,
    updatedAt: now,
  };
  await insertView(tx, actor.accountId, view);
  return view;
}

export async function changeView(
  tx: Tx,
  actor: UserActor,
  now: number,
  definitions: Definitions,
  id: string,
  change: SavedViewUpdate,
): Promise<SavedView> {
  const before = await requireView(tx, actor, definitions, id);
  const after: SavedView = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    shared: change.shared ?? before.shared,
    settings: change.settings === undefined ? before.settings : checkSettings(change.settings),
    updatedAt: now,
  };
  await updateView(tx, actor.accountId, after);
  return after;
}

export async function removeView(
  tx: Tx,
  actor: UserActor,
  definitions: Definitions,
  id: string,
): Promise<void> {
  const view = await requireView(tx, actor, definitions, id);
  await deleteView(tx, actor.accountId, view.id);
}

async function requireView(
  tx: Tx,
  actor: UserActor,
  definitions: Definitions,
  id: string,
): Promise<SavedView> {
  const view = isId(id) ? await lockView(tx, actor.accountId, id) : null;
  const kanban = view && definitions.kanbans.get(view.kanbanId);
  if (!view || !kanban || !maySee(actor, kanban)) throw notFound('view');
  checkOwner(actor, view, 'view');
  return view;
}

export async function createReply(
  tx: Tx,
  actor: UserActor,
  now: number,
  input: SavedReplyCreate,
): Promise<SavedReply> {
  const reply: SavedReply = {
    id: newId(now),
    name: checkName(input.name),
    text: input.text,
    shared: input.shared ?? false,
    ownerId: actor.id,
    createdAt: now,
    updatedAt: now,
  };
  await insertReply(tx, actor.accountId, reply);
  return reply;
}

export async function changeReply(
  tx: Tx,
  actor: UserActor,
  now: number,
  id: string,
  change: SavedReplyUpdate,
): Promise<SavedReply> {
  const before = await requireReply(tx, actor, id);
  const after: SavedReply = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    text: change.text ?? before.text,
    shared: change.shared ?? before.shared,
    updatedAt: now,
  };
  await updateReply(tx, actor.accountId, after);
  return after;
}

export async function removeReply(tx: Tx, actor: UserActor, id: string): Promise<void> {
  const reply = await requireReply(tx, actor, id);
  await deleteReply(tx, actor.accountId, reply.id);
}

async function requireReply(tx: Tx, actor: UserActor, id: string): Promise<SavedReply> {
  const reply = isId(id) ? await lockReply(tx, actor.accountId, id) : null;
  if (!reply) throw notFound('saved reply');
  checkOwner(actor, reply, 'saved reply');
  return reply;
}

/** Private ones do not exist for others; shared ones can also be changed by administrators. */
function checkOwner(actor: UserActor, thing: { ownerId: string; shared: boolean }, name: string): void {
  if (thing.ownerId === actor.id) return;
  if (!thing.shared) throw notFound(name);
  if (!may(actor, 'shared.manage'))
    throw forbidden(`only its owner or an administrator may change a shared ${name}`);
}

function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest('name is required');
  return name;
}

function checkSettings(settings: SavedView['settings']): SavedView['settings'] {
  if (JSON.stringify(settings).length > settingsBytes) throw badRequest('settings are too large');
  return settings;
}
