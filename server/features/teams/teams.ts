/**
 * Teams: named groups of users who share conversations. Changes take the lock on the account's configuration, because
 * channels refer to teams, and so that every open dashboard reads them again.
 */
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Team, TeamCreate, TeamUpdate } from '../../../contract/teams.ts';
import { isUniqueViolation, type Reader, type Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, audit, checkUserIds, differences, lockAccountConfig } from '../accounts/accounts.ts';
import { checkHoursId, type UsesOfHours } from '../business-hours/business-hours.ts';
import {
  deleteTeam,
  findTeam,
  insertTeam,
  replaceMembers,
  selectTeams,
  selectTeamsWithHours,
  updateTeam,
} from './teams.sql.ts';

export const teamsWithHours: UsesOfHours = {
  find: async (db, accountId, hoursId) =>
    (await selectTeamsWithHours(db, accountId, hoursId)).map((team) => ({ type: 'team', ...team })),
};

export async function listTeams(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  query: { limit?: number; nextToken?: string },
): Promise<Page<Team>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['teams', accountId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const after = cursor && { name: String(cursor[0]), id: String(cursor[1]) };
  const rows = await selectTeams(db, accountId, after, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.name, last.id], scope));
}

export async function requireTeam(db: Reader, accountId: string, id: string): Promise<Team> {
  const team = isId(id) ? await findTeam(db, accountId, id) : null;
  if (!team) throw notFound('team');
  return team;
}

/** A 400 that names `field` unless the id is null or a team of the account. */
export async function checkTeamId(
  db: Reader,
  accountId: string,
  id: string | null,
  field: string,
): Promise<void> {
  if (id === null || (isId(id) && (await findTeam(db, accountId, id)))) return;
  throw badRequest(`${field} has an unknown team: ${id.slice(0, 100)}`);
}

export async function createTeam(tx: Tx, actor: Actor, now: number, input: TeamCreate): Promise<Team> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const name = checkName(input.name);
  const userIds = await checkMembers(tx, accountId, input.userIds ?? []);
  const { hoursId = null } = input;
  await checkHoursId(tx, accountId, hoursId);
  const team: Team = { id: newId(now), name, userIds, hoursId, createdAt: now, updatedAt: now };
  await insertTeam(tx, accountId, team).catch(nameIsTaken);
  await replaceMembers(tx, accountId, team.id, userIds);
  await audit(tx, actor, now, {
    action: 'team.created',
    target: { type: 'team', id: team.id },
    changes: differences({}, { name, userIds, hoursId }),
  });
  return team;
}

export async function changeTeam(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: TeamUpdate,
): Promise<Team> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const before = await requireTeam(tx, accountId, id);
  const after: Team = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    userIds: change.userIds ? await checkMembers(tx, accountId, change.userIds) : before.userIds,
    hoursId: change.hoursId === undefined ? before.hoursId : change.hoursId,
    updatedAt: now,
  };
  await checkHoursId(tx, accountId, after.hoursId);
  await updateTeam(tx, accountId, after).catch(nameIsTaken);
  if (change.userIds) await replaceMembers(tx, accountId, id, after.userIds);
  await audit(tx, actor, now, {
    action: 'team.updated',
    target: { type: 'team', id },
    changes: differences(before, { name: after.name, userIds: after.userIds, hoursId: after.hoursId }),
  });
  return after;
}

export async function removeTeam(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { name } = await requireTeam(tx, accountId, id);
  await deleteTeam(tx, accountId, id);
  await audit(tx, actor, now, {
    action: 'team.deleted',
    target: { type: 'team', id },
    changes: { name: { from: name, to: null } },
  });
}

function checkName(text: string): string {
  const name = text.trim();
  if (!name) throw badRequest('name is required');
  return name;
}

/** In the order in which they are read again. */
async function checkMembers(tx: Tx, accountId: string, userIds: readonly string[]): Promise<string[]> {
  const ids = [...new Set(userIds)].sort();
  await checkUserIds(tx, accountId, ids, 'userIds');
  return ids;
}

function nameIsTaken(error: unknown): never {
  if (isUniqueViolation(error, 'teams_name')) throw conflict('name is already in use');
  throw error;
}
