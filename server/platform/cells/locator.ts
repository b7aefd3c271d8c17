/**
 * Finds the cell of a request. Almost every request is found in memory; a new account or channel costs one query of the
 * directory, a credential from before tags one query of each cell, once. Nothing that a caller makes up displaces what
 * is known: accounts that do not exist are remembered apart, and shortly.
 */
import { LRUCache } from 'lru-cache';
import type { Reader } from '../db/db.ts';
import { unavailable } from '../http/errors.ts';
import { isId } from '../ids.ts';
import { sha256Hex } from '../secrets/secrets.ts';
import { homeCell } from './cell-settings.ts';
import { locateAccount as askCell, findAccountOfChannel } from './directory.sql.ts';
import { type Found, findAccount, hasAccount, type LookUp } from './lookup.sql.ts';

export interface RequestHead {
  method?: string | undefined;
  url?: string | undefined;
  headers: { [name: string]: string | string[] | undefined };
}

export type Place =
  /** The home cell: sign-in, pages, documents, health. */
  | null
  | { account: string }
  /** Looked for in every cell. The directory knows those of the kind `channel`. */
  | { kind: string; value: string };

export interface Locator {
  /** The name of the cell, at once if it is known. Rejects with a 503 while only an unreachable cell could tell. */
  locate(head: RequestHead): string | Promise<string>;
  locatePlace(place: Place, isRead: boolean): string | Promise<string>;
  locateAccount(accountId: string): string | Promise<string>;
  /** The account of a request whose cell was found a moment ago. */
  accountOf(head: RequestHead): string | null;
  /** The account is in this cell now. */
  placed(accountId: string, cell: string): void;
  /** Channels of the account; answers those that were not known here. */
  noteChannels(accountId: string, channelIds: readonly string[]): string[];
}

export interface LocatorDeps {
  home: Reader;
  placeOf(head: RequestHead): Place;
  /** By kind. */
  lookUps: { [kind: string]: LookUp };
  /** Of every cell besides home; null: it cannot be reached now. */
  others(): { name: string; db: Reader | null }[];
  /** A channel that the directory does not know. */
  onChannelFound?(channelId: string, accountId: string): void;
  /** Accounts whose cell is remembered. */
  keptAccounts?: number;
  /** Where an account is that moves between cells right now; null: it does not. */
  locateMoving?(accountId: string, isRead: boolean): Promise<string> | null;
}

const defaultKeptAccounts = 200_000;
const keptCredentials = 50_000;
const keptUnknown = 10_000;
/** Guessing costs at most one query of each cell and guess. */
const unknownMs = 2_000;
/** Nothing that the service gives out is longer: such a value is refused by the home cell, without a query. */
const longestValue = 256;
/** Guesses must not take the connections of the requests that are known. */
const mostUnderWay = 256;

type LookedUpPlace = Exclude<Place, null | { account: string }>;

export function createLocator({
  home,
  placeOf,
  lookUps,
  others,
  locateMoving,
  onChannelFound,
  keptAccounts = defaultKeptAccounts,
}: LocatorDeps): Locator {
  const cells = new LRUCache<string, string>({ max: keptAccounts });
  const accounts = new LRUCache<string, string>({ max: keptCredentials });
  const unknown = new LRUCache<string, true>({ max: keptUnknown, ttl: unknownMs });
  const underWay = new Map<string, Promise<string>>();

  /** Requests that need the same answer wait for one query. */
  const once = (key: string, ask: () => Promise<string>): Promise<string> => {
    const asked = underWay.get(key);
    if (asked) return asked;
    if (underWay.size >= mostUnderWay) throw unavailable('too many credentials are being looked up', 1);
    const answer = ask().finally(() => underWay.delete(key));
    underWay.set(key, answer);
    return answer;
  };

  const askDirectory = async (accountId: string): Promise<string> => {
    const cell = await askCell(home, accountId).catch(async (error) => {
      // The directory is away: the account's own cell knows it too, and must not be down with the home cell.
      const asked = await Promise.all(
        others().map(async ({ name, db }) =>
          db && (await hasAccount(db, accountId).catch(() => false)) ? name : null,
        ),
      );
      const found = asked.find((name) => name !== null);
      if (found) return found;
      throw error;
    });
    if (cell === null) unknown.set(accountId, true);
    else cells.set(accountId, cell);
    return cell ?? homeCell;
  };

  const locateAccount = (accountId: string, isRead = true) =>
    locateMoving?.(accountId, isRead) ??
    cells.get(accountId) ??
    (unknown.has(accountId) ? homeCell : once(accountId, () => askDirectory(accountId)));

  const look = async (key: string, place: LookedUpPlace, isRead: boolean): Promise<string> => {
    const { kind, value } = place;
    const isChannelId = kind === 'channel' && isId(value);
    // Without the directory each cell is asked.
    const noted = isChannelId ? await findAccountOfChannel(home, value).catch(() => null) : null;
    const found = noted ?? (await askEveryCell(place));
    if (found === null) {
      unknown.set(key, true);
      return homeCell;
    }
    if (isChannelId && noted === null) onChannelFound?.(value, found);
    accounts.set(key, found);
    return locateAccount(found, isRead);
  };

  const askEveryCell = async ({ kind, value }: LookedUpPlace): Promise<string | null> => {
    let away = '';
    const answers = [{ name: homeCell, db: home }, ...others()].map(async ({ name, db }) => {
      try {
        if (!db) throw new Error('away');
        return await findAccount(db, value, lookUps[kind]!);
      } catch {
        away = name;
        return null;
      }
    });
    const found = isName(kind, value) ? await firstUser(answers) : await firstFound(answers);
    // A name may have been used first in the cell that is away: no other cell may answer for it meanwhile.
    if (away && (!found || isName(kind, value))) {
      throw unavailable(`the cell ${away} is not reachable right now`, 5);
    }
    return found?.accountId ?? null;
  };

  const locatePlace = (place: Place, isRead: boolean): string | Promise<string> => {
    if (place === null) return homeCell;
    if ('account' in place) return locateAccount(place.account, isRead);
    if (place.value.length > longestValue) return homeCell;
    const key = keyOf(place);
    const account = accounts.get(key);
    if (account) return locateAccount(account, isRead);
    if (unknown.has(key)) return homeCell;
    return once(key, () => look(key, place, isRead));
  };

  return {
    locate: (head) => locatePlace(placeOf(head), /^(GET|HEAD|OPTIONS)$/.test(head.method ?? 'GET')),
    locatePlace,
    locateAccount: (accountId) => locateAccount(accountId),
    accountOf(head) {
      const place = placeOf(head);
      if (place === null) return null;
      return 'account' in place ? place.account : (accounts.get(keyOf(place)) ?? null);
    },
    placed: (accountId, cell) => void cells.set(accountId, cell),
    noteChannels(accountId, channelIds) {
      const keys = channelIds.map((value) => ({ value, key: keyOf({ kind: 'channel', value }) }));
      const fresh = keys.filter(({ key }) => accounts.get(key) !== accountId);
      for (const { key } of fresh) {
        accounts.set(key, accountId);
        unknown.delete(key);
      }
      return fresh.map(({ value }) => value);
    },
  };
}

const keyOf = ({ kind, value }: LookedUpPlace) => `${kind}:${sha256Hex(value)}`;

/** The name of a website channel, which accounts in several cells may use. Everything else is in one cell only. */
function isName(kind: string, value: string): boolean {
  return kind === 'channel' && !isId(value);
}

async function firstUser(answers: Promise<Found | null>[]): Promise<Found | null> {
  const found = (await Promise.all(answers)).filter((one) => one !== null);
  return found.sort((a, b) => a.since - b.since)[0] ?? null;
}

/** At once: a cell that hangs must not delay the accounts of another. Null after every cell has answered. */
async function firstFound(answers: Promise<Found | null>[]): Promise<Found | null> {
  const hits = answers.map(async (answer) => (await answer) ?? Promise.reject(new Error('not here')));
  return Promise.any(hits).catch(() => null);
}
