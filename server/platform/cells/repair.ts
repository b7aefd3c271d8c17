/**
 * Compares the directory with what the cells hold, for a home cell that was restored from an older backup. The cells are
 * right: an account is where its rows are. Accounts that move meanwhile are left alone: what was read of them before
 * and after belongs to different places.
 */
import type { Db, Tx } from '../db/db.ts';
import { homeCell } from './cell-settings.ts';
import { hasUser } from './lookup.sql.ts';
import {
  accountPages,
  channelPages,
  claimedSlugPages,
  emailPages,
  listAccount,
  listedPages,
  lockMoves,
  readTime,
  releaseSlug,
  saveChannel,
  saveEmail,
  saveSlug,
  selectExisting,
  selectListed,
  selectMoved,
  selectMovedSince,
  selectUnclaimed,
  selectUnclaimedSlugs,
  selectUnnoted,
  selectUsedSlugs,
  slugPages,
  unlistAccount,
} from './repair.sql.ts';

export interface Difference {
  kind: 'account' | 'email' | 'channel' | 'slug';
  /** Whose places were compared. */
  accountIds: string[];
  message: string;
  /** Null: a person must decide. */
  fix: ((tx: Tx) => Promise<void>) | null;
}

export interface CellDb {
  name: string;
  db: Db;
}

/** An account or a slug that is being created is in the directory before it is in its cell. */
const justPlacedSeconds = 600;

export interface Repair {
  differences(): AsyncGenerator<Difference>;
  /** Returns how many were corrected. Those of accounts that have begun to move since they were found are not. */
  correct(differences: readonly Difference[]): Promise<number>;
}

/** `cells`: those that answer, home first. `isWhole`: all of them do. */
export async function beginRepair(cells: readonly CellDb[], isWhole: boolean): Promise<Repair> {
  const home = cells[0]!.db;
  const since = await readTime(home);

  return {
    async *differences() {
      const told = new Set<string>();
      for await (const difference of findDifferences(cells, isWhole)) {
        // After the places were read: a move that has changed them is known by now.
        const moving = await selectMovedSince(home, difference.accountIds, since);
        if (moving.size === 0) yield difference;
        for (const id of moving) {
          if (!told.has(id)) yield isMoving(id);
          told.add(id);
        }
      }
    },

    async correct(differences) {
      const ids = [...new Set(differences.flatMap(({ accountIds }) => accountIds))];
      return home.transaction(async (tx) => {
        await lockMoves(tx);
        const moving = await selectMovedSince(tx, ids, since);
        const still = differences.filter(({ accountIds }) => !accountIds.some((id) => moving.has(id)));
        for (const { fix } of still) await fix?.(tx);
        return still.length;
      });
    },
  };
}

const isMoving = (accountId: string): Difference => ({
  kind: 'account',
  accountIds: [accountId],
  message: `account ${accountId} is being moved, or was until a moment ago: end or cancel its move with \`talkboard account move\`, then run this again`,
  fix: null,
});

async function* findDifferences(cells: readonly CellDb[], isWhole: boolean): AsyncGenerator<Difference> {
  const home = cells[0]!.db;
  yield* compareAccounts(home, cells);
  // Without one of the cells it is unknown whether an account or a slug is gone.
  if (isWhole) {
    yield* findAbsent(home, cells);
    yield* findUnusedSlugs(home, cells);
  }
  for (const { name, db } of cells.slice(1)) {
    yield* compareEmails(home, cells, db, name);
    yield* compareChannels(home, db, name);
    yield* compareSlugs(home, db, name);
  }
}

async function* compareAccounts(home: Db, cells: readonly CellDb[]): AsyncGenerator<Difference> {
  for (const [index, { db }] of cells.entries()) {
    for await (const ids of accountPages(db)) {
      const listed = await selectListed(home, ids);
      const existing = await Promise.all(cells.map((one) => selectExisting(one.db, ids)));
      for (const id of ids) {
        const found = cells.filter((_, place) => existing[place]!.has(id)).map((cell) => cell.name);
        // It was judged with the first cell that has it.
        if (cells.slice(0, index).some((cell) => found.includes(cell.name))) continue;
        const difference = judge(id, found, listed.get(id) ?? null);
        if (difference) yield difference;
      }
    }
  }
}

function judge(accountId: string, found: readonly string[], listed: string | null): Difference | null {
  const about = { kind: 'account' as const, accountIds: [accountId] };
  // The rows that a move leaves behind are not among them.
  if (found.length > 1) {
    const said = listed === null ? 'does not know it' : `says ${listed}`;
    const message = `account ${accountId} is in ${found.join(' and ')}, and the directory ${said}: remove one of them`;
    return { ...about, message, fix: null };
  }
  const [only] = found;
  // It has been deleted since.
  if (only === undefined) return null;
  if (only === listed || (listed === null && only === homeCell)) return null;
  const said = listed === null ? 'the directory does not know it' : `the directory says ${listed}`;
  return {
    ...about,
    message: `account ${accountId} is in ${only}, ${said}`,
    fix: (tx) => listAccount(tx, accountId, only),
  };
}

async function* findAbsent(home: Db, cells: readonly CellDb[]): AsyncGenerator<Difference> {
  for await (const listed of listedPages(home, justPlacedSeconds)) {
    const ids = listed.map(({ accountId }) => accountId);
    const existing = await Promise.all(cells.map(({ db }) => selectExisting(db, ids)));
    const moved = await Promise.all(cells.map(({ db }) => selectMoved(db, ids)));
    for (const { accountId, cell } of listed) {
      if (existing.some((one) => one.has(accountId))) continue;
      if (moved.some((one) => one.has(accountId))) {
        const message = `account ${accountId} has left a cell, and is not in ${cell}: end its move with \`talkboard account move\``;
        yield { kind: 'account', accountIds: [accountId], message, fix: null };
        continue;
      }
      yield {
        kind: 'account',
        accountIds: [accountId],
        message: `the directory says that account ${accountId} is in ${cell}, but no cell has it`,
        fix: (tx) => unlistAccount(tx, accountId),
      };
    }
  }
}

async function* compareEmails(
  home: Db,
  cells: readonly CellDb[],
  db: Db,
  name: string,
): AsyncGenerator<Difference> {
  for await (const users of emailPages(db)) {
    for (const { email, accountId, listed } of await selectUnclaimed(home, users)) {
      const claimed = { email, accountId };
      const isOthers = listed !== null && (await isUsedElsewhere(cells, name, listed, email));
      const said = listed === null ? 'the directory does not know it' : `the directory has account ${listed}`;
      const accountIds = listed === null ? [accountId] : [accountId, listed];
      yield isOthers
        ? {
            kind: 'email',
            accountIds,
            message: `${email} is a user of account ${accountId} in ${name} and of account ${listed}: remove one of them`,
            fix: null,
          }
        : {
            kind: 'email',
            accountIds,
            message: `${email} is a user of account ${accountId} in ${name}, ${said}`,
            fix: (tx) => saveEmail(tx, claimed),
          };
    }
  }
}

/** Rows of another account, or what a move has left of the same one. */
async function isUsedElsewhere(
  cells: readonly CellDb[],
  name: string,
  accountId: string,
  email: string,
): Promise<boolean> {
  for (const cell of cells) {
    if (cell.name !== name && (await hasUser(cell.db, accountId, email))) return true;
  }
  return false;
}

async function* compareChannels(home: Db, db: Db, name: string): AsyncGenerator<Difference> {
  for await (const channels of channelPages(db)) {
    for (const channel of await selectUnnoted(home, channels)) {
      yield {
        kind: 'channel',
        accountIds: [channel.accountId],
        message: `channel ${channel.id} of account ${channel.accountId} in ${name} is not in the directory`,
        fix: (tx) => saveChannel(tx, channel),
      };
    }
  }
}

/** Which of two accounts keeps a slug is left to a person: both have published it. */
async function* compareSlugs(home: Db, db: Db, name: string): AsyncGenerator<Difference> {
  for await (const slugs of slugPages(db)) {
    for (const { listed, ...own } of await selectUnclaimedSlugs(home, slugs)) {
      const about = `the slug ${own.slug} of the help center of account ${own.accountId} in ${name}`;
      yield listed === null
        ? {
            kind: 'slug',
            accountIds: [own.accountId],
            message: `${about} is not in the directory`,
            fix: (tx) => saveSlug(tx, own),
          }
        : {
            kind: 'slug',
            accountIds: [own.accountId, listed],
            message: `${about} is one of account ${listed} too: delete its row of help_slugs in one of the databases`,
            fix: null,
          };
    }
  }
}

/** Claimed by a change that did not commit in its own database. */
async function* findUnusedSlugs(home: Db, cells: readonly CellDb[]): AsyncGenerator<Difference> {
  for await (const claimed of claimedSlugPages(home, justPlacedSeconds)) {
    const slugs = claimed.map(({ slug }) => slug);
    const used = await Promise.all(cells.map(({ db }) => selectUsedSlugs(db, slugs)));
    for (const one of claimed) {
      if (used.some((inCell) => inCell.has(one.slug))) continue;
      yield {
        kind: 'slug',
        accountIds: [one.accountId],
        message: `the directory says that the slug ${one.slug} belongs to account ${one.accountId}, but no cell has it`,
        fix: (tx) => releaseSlug(tx, one, justPlacedSeconds),
      };
    }
  }
}
