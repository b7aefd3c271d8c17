/** Macros: private, or shared with everyone of the account. They have the same owners' rights as saved replies. */
import { limits } from '../../../contract/limits.ts';
import type { Macro, MacroCreate, MacroUpdate } from '../../../contract/macros.ts';
import { isUniqueViolation, type Reader, type Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, forbidden, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { may, type UserActor } from '../accounts/accounts.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { checkMacroSteps } from '../steps/steps.ts';
import {
  countMacrosLocked,
  deleteMacro,
  findMacro,
  insertMacro,
  lockMacro,
  selectMacros,
  updateMacro,
} from './macros.sql.ts';

export { handOverMacros } from './macros.sql.ts';

export const listMacros = (db: Reader, actor: UserActor): Promise<Macro[]> =>
  selectMacros(db, actor.accountId, actor.id);

export async function createMacro(
  tx: Tx,
  actor: UserActor,
  now: number,
  definitions: Definitions,
  input: MacroCreate,
): Promise<Macro> {
  const macro: Macro = {
    id: newId(now),
    name: checkName(input.name),
    shared: input.shared ?? false,
    ownerId: actor.id,
    steps: await checkMacroSteps(tx, actor, definitions, input.steps),
    createdAt: now,
    updatedAt: now,
  };
  if ((await countMacrosLocked(tx, actor.accountId)) >= limits.macros) {
    throw conflict(`an account can have at most ${limits.macros} macros`);
  }
  await insertMacro(tx, actor.accountId, macro).catch(nameIsTaken);
  return macro;
}

export async function changeMacro(
  tx: Tx,
  actor: UserActor,
  now: number,
  definitions: Definitions,
  id: string,
  change: MacroUpdate,
): Promise<Macro> {
  const before = await requireOwnMacro(tx, actor, id);
  const after: Macro = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    shared: change.shared ?? before.shared,
    steps: change.steps ? await checkMacroSteps(tx, actor, definitions, change.steps) : before.steps,
    // A preview names the version that it showed, so two changes never have the same time.
    updatedAt: Math.max(now, before.updatedAt + 1),
  };
  await updateMacro(tx, actor.accountId, after).catch(nameIsTaken);
  return after;
}

export async function removeMacro(tx: Tx, actor: UserActor, id: string): Promise<void> {
  const macro = await requireOwnMacro(tx, actor, id);
  await deleteMacro(tx, actor.accountId, macro.id);
}

/** For running it: the caller's own, or a shared one. */
export async function requireMacro(db: Reader, actor: UserActor, id: string): Promise<Macro> {
  const macro = isId(id) ? await findMacro(db, actor.accountId, id) : null;
  if (!macro || !(macro.shared || macro.ownerId === actor.id)) throw notFound('macro');
  return macro;
}

/** For changing it. Private ones do not exist for others; shared ones can also be changed by administrators. */
async function requireOwnMacro(tx: Tx, actor: UserActor, id: string): Promise<Macro> {
  const macro = isId(id) ? await lockMacro(tx, actor.accountId, id) : null;
  if (!macro) throw notFound('macro');
  if (macro.ownerId === actor.id) return macro;
  if (!macro.shared) throw notFound('macro');
  if (!may(actor, 'shared.manage')) {
    throw forbidden('only its owner or an administrator may change a shared macro');
  }
  return macro;
}

function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest('name is required');
  return name;
}

function nameIsTaken(error: unknown): never {
  if (isUniqueViolation(error, 'macros_shared_name') || isUniqueViolation(error, 'macros_own_name')) {
    throw conflict('name is already in use');
  }
  throw error;
}
