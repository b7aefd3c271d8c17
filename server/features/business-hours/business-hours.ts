/**
 * Business hours of an account: one thing that channels, their widgets, teams, rules and service levels refer to.
 * Changes take the lock on the account's configuration, with which every process caches them.
 */
import type {
  BusinessHours,
  BusinessHoursCreate,
  BusinessHoursUpdate,
  HoursUse,
} from '../../../contract/business-hours.ts';
import { limits } from '../../../contract/limits.ts';
import {
  findHoursProblem,
  isDate,
  minutesOf,
  type OpeningHours,
} from '../../../contract/widget/opening-hours.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, inUse, limitReached, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { findTimeZone } from '../../platform/time-zone.ts';
import { type Actor, audit, differences, lockAccountConfig } from '../accounts/accounts.ts';
import {
  clearDefault,
  deleteHours,
  findHours,
  insertHours,
  type StoredHours,
  selectHours,
  updateHours,
} from './business-hours.sql.ts';

export {
  addMinutes,
  type Hours,
  hoursAt,
  isOpen,
  minutesBetween,
  nextOpening,
} from './business-hours.minutes.ts';

/** As the account's configuration has them. */
export interface AccountHours {
  byId: ReadonlyMap<string, BusinessHours>;
  byDefault: BusinessHours;
  /** Of teams that refer to hours. */
  ofTeam: ReadonlyMap<string, string>;
}

/** What refers to hours: each feature that has such things says which. */
export interface UsesOfHours {
  find(tx: Reader, accountId: string, hoursId: string): Promise<HoursUse[]>;
  /** In the transaction of a change of the hours. */
  changed?(tx: Tx, accountId: string, hoursId: string, now: number): Promise<void>;
}

const placeNames: Readonly<Record<HoursUse['type'], string>> = {
  default: 'the account, as its default:',
  channel: 'channel',
  team: 'team',
  automation: 'rule',
  sla_policy: 'service level',
};

const everyDay = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));

/** Nothing is closed until somebody says so. */
const alwaysOpen = { name: 'Always open', timeZone: 'UTC', week: everyDay, closedDates: [], names: {} };

export async function startAccountWithHours(tx: Tx, actor: Actor, now: number): Promise<void> {
  await insertHours(tx, actor.accountId, { ...alwaysOpen, id: newId(now), isDefault: true, madeFor: null });
}

/** `rows` as the account has them, of which one is the default. */
export function accountHours(
  rows: readonly BusinessHours[],
  teams: readonly { teamId: string; hoursId: string }[],
): AccountHours {
  return {
    byId: new Map(rows.map((hours) => [hours.id, hours])),
    // An account that an older release made while this one was installed has none.
    byDefault: rows.find(({ isDefault }) => isDefault) ?? { ...alwaysOpen, id: '', isDefault: true },
    ofTeam: new Map(teams.map(({ teamId, hoursId }) => [teamId, hoursId])),
  };
}

/** Those of its team, otherwise of its channel, otherwise the account's default. */
export function hoursOf(
  hours: AccountHours,
  { teamId, hoursId }: { teamId: string | null; hoursId: string | null },
): BusinessHours {
  const id = (teamId === null ? undefined : hours.ofTeam.get(teamId)) ?? hoursId;
  return (id === null ? undefined : hours.byId.get(id)) ?? hours.byDefault;
}

export async function listHours(db: Reader, accountId: string): Promise<BusinessHours[]> {
  return (await selectHours(db, accountId)).map(shown);
}

export async function requireHours(db: Reader, accountId: string, id: string): Promise<BusinessHours> {
  return shown(await requireStored(db, accountId, id));
}

async function requireStored(db: Reader, accountId: string, id: string): Promise<StoredHours> {
  const hours = isId(id) ? await findHours(db, accountId, id) : null;
  if (!hours) throw notFound('business hours');
  return hours;
}

/** A 400 that names `field` unless the id is null or that of hours of the account. */
export async function checkHoursId(
  db: Reader,
  accountId: string,
  id: string | null,
  field = 'hoursId',
): Promise<void> {
  if (id === null || (isId(id) && (await findHours(db, accountId, id)))) return;
  throw badRequest(`${field} has unknown business hours: ${id.slice(0, 100)}`);
}

const shown = ({ madeFor: _unseen, ...hours }: StoredHours): BusinessHours => hours;

export async function createHours(
  tx: Tx,
  actor: Actor,
  now: number,
  input: BusinessHoursCreate,
): Promise<BusinessHours> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { closedDates = [], names = {}, timeZone, week } = input;
  const open = checkHours({ timeZone, week, closedDates });
  const hours: StoredHours = {
    id: newId(now),
    name: checkName(input.name),
    isDefault: input.isDefault ?? false,
    ...open,
    names: checkNames(names, open.closedDates),
    madeFor: null,
  };
  await store(tx, actor, now, hours);
  return shown(hours);
}

async function store(tx: Tx, actor: Actor, now: number, hours: StoredHours): Promise<void> {
  const { accountId } = actor;
  if ((await selectHours(tx, accountId)).length >= limits.businessHours) {
    throw limitReached(`an account can have at most ${limits.businessHours} business hours`);
  }
  if (hours.isDefault) await clearDefault(tx, accountId);
  await insertHours(tx, accountId, hours);
  await audit(tx, actor, now, {
    action: 'business_hours.created',
    target: { type: 'business_hours', id: hours.id },
    changes: differences({}, shown(hours)),
  });
}

export async function changeHours(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: BusinessHoursUpdate,
  uses: readonly UsesOfHours[],
): Promise<BusinessHours> {
  await lockAccountConfig(tx, actor.accountId);
  const before = await requireStored(tx, actor.accountId, id);
  if (before.isDefault && change.isDefault === false) {
    throw badRequest('isDefault: one of the business hours is the default, make another one it instead');
  }
  const { timeZone, week, closedDates } = { ...before, ...definedIn(change) };
  const open = checkHours({ timeZone, week, closedDates });
  return save(tx, actor, now, uses, before, {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    isDefault: change.isDefault ?? before.isDefault,
    ...open,
    names: change.names
      ? checkNames(change.names, open.closedDates)
      : namesOf(before.names, open.closedDates),
  });
}

async function save(
  tx: Tx,
  actor: Actor,
  now: number,
  uses: readonly UsesOfHours[],
  before: StoredHours,
  after: StoredHours,
): Promise<BusinessHours> {
  const { accountId } = actor;
  if (after.isDefault && !before.isDefault) await clearDefault(tx, accountId);
  await updateHours(tx, accountId, after);
  if (!isSameHours(before, after)) for (const one of uses) await one.changed?.(tx, accountId, after.id, now);
  await audit(tx, actor, now, {
    action: 'business_hours.updated',
    target: { type: 'business_hours', id: after.id },
    changes: differences(shown(before), shown(after)),
  });
  return shown(after);
}

export async function removeHours(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  uses: readonly UsesOfHours[],
): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const hours = await requireStored(tx, accountId, id);
  const usedBy = await usesOf(tx, accountId, hours, uses);
  if (usedBy.length > 0) {
    const places = usedBy.map((one) => `${placeNames[one.type]} ${one.name}`.trim());
    throw inUse(`the business hours are used by ${places.join(', ')}`, usedBy);
  }
  await remove(tx, actor, now, hours);
}

async function remove(tx: Tx, actor: Actor, now: number, { id, name }: StoredHours): Promise<void> {
  await deleteHours(tx, actor.accountId, id);
  await audit(tx, actor, now, {
    action: 'business_hours.deleted',
    target: { type: 'business_hours', id },
    changes: { name: { from: name, to: null } },
  });
}

async function usesOf(
  tx: Tx,
  accountId: string,
  { id, isDefault, name }: StoredHours,
  uses: readonly UsesOfHours[],
): Promise<HoursUse[]> {
  const found: HoursUse[] = isDefault ? [{ type: 'default', id: null, name }] : [];
  for (const one of uses) found.push(...(await one.find(tx, accountId, id)));
  return found;
}

interface ChannelOfHours {
  id: string;
  name: string;
  hoursId: string | null;
}

/**
 * What a channel refers to after its `hours` were written: its own, made for it the first time. Others keep what they
 * refer to. Takes the lock on the account's configuration before.
 */
export async function writeHoursOfChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  channel: ChannelOfHours,
  hours: OpeningHours,
  uses: readonly UsesOfHours[],
): Promise<BusinessHours> {
  const { accountId } = actor;
  const open = checkHours(hours, 'hours.');
  const before = channel.hoursId === null ? null : await findHours(tx, accountId, channel.hoursId);
  if (before && isSameHours(before, open)) return shown(before);
  if (before && (await isOwn(tx, accountId, channel, before, uses))) {
    const names = namesOf(before.names, open.closedDates);
    return save(tx, actor, now, uses, before, { ...before, ...open, names });
  }
  const names = before ? namesOf(before.names, open.closedDates) : {};
  const made = { id: newId(now), name: channel.name, isDefault: false, ...open, names, madeFor: channel.id };
  await store(tx, actor, now, made);
  return shown(made);
}

/** When a channel no longer refers to them: those that were made for it go, unless something else uses them. */
export async function dropHoursOfChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  channel: ChannelOfHours,
  uses: readonly UsesOfHours[],
): Promise<void> {
  if (channel.hoursId === null) return;
  const hours = await findHours(tx, actor.accountId, channel.hoursId);
  if (hours?.madeFor !== channel.id) return;
  if ((await usesOf(tx, actor.accountId, hours, uses)).length === 0) await remove(tx, actor, now, hours);
}

async function isOwn(
  tx: Tx,
  accountId: string,
  channel: ChannelOfHours,
  hours: StoredHours,
  uses: readonly UsesOfHours[],
): Promise<boolean> {
  if (hours.madeFor !== channel.id) return false;
  return (await usesOf(tx, accountId, hours, uses)).every(({ id }) => id === channel.id);
}

/** Of two that were both checked. */
export function isSameHours(a: OpeningHours, b: OpeningHours): boolean {
  const text = ({ timeZone, week, closedDates }: OpeningHours) =>
    JSON.stringify([timeZone, week.map(({ day, from, to }) => [day, from, to]), closedDates]);
  return text(a) === text(b);
}

/** A 400 that names the field. Returns the hours in order, with the canonical name of the zone. */
export function checkHours({ timeZone, week, closedDates }: OpeningHours, place = ''): OpeningHours {
  // "+03:00" is a zone for newer engines, but not the name of one.
  const zone = /^[A-Za-z]/.test(timeZone) ? findTimeZone(timeZone) : null;
  if (!zone) {
    throw badRequest(`${place}timeZone must be the IANA name of a time zone, such as America/Sao_Paulo`);
  }
  const problem = findHoursProblem(week);
  if (problem?.kind === 'order') throw badRequest(`${place}week[${problem.index}].to must be after from`);
  if (problem) throw badRequest(`${place}week[${problem.index}] overlaps another interval of the same day`);
  const wrong = closedDates.findIndex((date) => !isDate(date));
  if (wrong >= 0) throw badRequest(`${place}closedDates[${wrong}] is not a date`);
  return {
    timeZone: zone.name,
    week: week
      .map(({ day, from, to }) => ({ day, from, to }))
      .sort((a, b) => a.day - b.day || minutesOf(a.from) - minutesOf(b.from)),
    closedDates: [...new Set(closedDates)].sort(),
  };
}

function checkName(text: string): string {
  const name = text.trim();
  if (!name) throw badRequest('name is required');
  return name;
}

function checkNames(names: Record<string, string>, closedDates: readonly string[]): Record<string, string> {
  const unknown = Object.keys(names).find((date) => !closedDates.includes(date));
  if (unknown !== undefined) {
    throw badRequest(`names has ${unknown.slice(0, 100)}, which is not one of closedDates`);
  }
  return namesOf(names, closedDates);
}

/** In the order of the dates; an empty name is none. */
const namesOf = (names: Record<string, string>, closedDates: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    closedDates.flatMap((date) => {
      const name = Object.hasOwn(names, date) ? names[date]!.trim() : '';
      return name ? [[date, name]] : [];
    }),
  );

const definedIn = <T extends object>(change: T): Partial<T> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>;
