import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookUps } from '../../cells.places.sql.ts';
import { placeOf } from '../../cells.places.ts';
import type { Reader } from '../db/db.ts';
import { AppError } from '../http/errors.ts';
import { newId } from '../ids.ts';
import { tagOf } from './account-tag.ts';
import { roomiest } from './directory.ts';
import { createLocator as createWith, type LocatorDeps } from './locator.ts';
import { answers } from './lookup.sql.ts';

const createLocator = (deps: Omit<LocatorDeps, 'placeOf' | 'lookUps'>) =>
  createWith({ ...deps, placeOf, lookUps });

const account = newId();
const tagged = { authorization: `Bearer tb_${tagOf(account)}${'x'.repeat(43)}` };
const old = { authorization: `Bearer tb_${'o'.repeat(43)}` };

/** A database that gives the same rows to every query; null: it is not reachable. */
function database(rows: object[] | null): Reader & { asked: number } {
  const reader = {
    asked: 0,
    async query() {
      reader.asked++;
      if (rows === null) throw new Error('away');
      return rows;
    },
  };
  return reader as Reader & { asked: number };
}

describe('the cell of a request', () => {
  it('is asked for once, also by requests at the same time, and then known at once', async () => {
    const home = database([{ cell: 'eu2' }]);
    const { locate } = createLocator({ home, others: () => [] });
    const both = await Promise.all([1, 2].map(() => locate({ url: '/account', headers: tagged })));
    assert.deepEqual(both, ['eu2', 'eu2']);
    assert.equal(locate({ url: '/account', headers: tagged }), 'eu2');
    assert.equal(home.asked, 1);
    assert.equal(locate({ url: '/health/ready', headers: {} }), 'home');
  });

  it('changes at once when an account was placed elsewhere', async () => {
    const { locate, placed } = createLocator({ home: database([]), others: () => [] });
    assert.equal(await locate({ url: '/account', headers: tagged }), 'home');
    placed(account, 'eu3');
    assert.equal(locate({ url: '/account', headers: tagged }), 'eu3');
  });

  it('is found without the directory by asking the other cells', async () => {
    const others = () => [
      { name: 'eu2', db: database([]) },
      { name: 'eu3', db: database([{}]) },
      { name: 'eu4', db: null },
    ];
    const { locate } = createLocator({ home: database(null), others });
    assert.equal(await locate({ url: '/account', headers: tagged }), 'eu3');
  });

  it('of an old token is looked for in every cell once', async () => {
    const home = database([]);
    const eu2 = database([{ accountId: account, since: 0 }]);
    const { locate, placed } = createLocator({ home, others: () => [{ name: 'eu2', db: eu2 }] });
    placed(account, 'eu2');
    assert.equal(await locate({ url: '/account', headers: old }), 'eu2');
    assert.equal(locate({ url: '/account', headers: old }), 'eu2');
    assert.deepEqual([home.asked, eu2.asked], [1, 1]);
  });

  it('of an unknown token is home, but a 503 while a cell is away', async () => {
    const all = createLocator({ home: database([]), others: () => [{ name: 'eu2', db: database([]) }] });
    assert.equal(await all.locate({ url: '/account', headers: old }), 'home');
    const some = createLocator({ home: database([]), others: () => [{ name: 'eu2', db: database(null) }] });
    await assert.rejects(
      async () => some.locate({ url: '/account', headers: old }),
      (error) => error instanceof AppError && error.status === 503 && error.retryAfterSeconds === 5,
    );
  });

  it('of a name that two cells have is the one that used it first', async () => {
    const other = newId();
    const others = () => [
      { name: 'eu2', db: database([{ accountId: other, since: 5 }]) },
      { name: 'eu3', db: database([{ accountId: account, since: 3 }]) },
    ];
    const { locate, placed } = createLocator({ home: database([]), others });
    placed(other, 'eu2');
    placed(account, 'eu3');
    assert.equal(await locate({ url: '/widget.js?channel=shop', headers: {} }), 'eu3');
  });

  it('of a name is a 503 while a cell is away, and of an id only if no other cell has it', async () => {
    const others = () => [
      { name: 'eu2', db: null },
      { name: 'eu3', db: database([{ accountId: account, since: 3 }]) },
    ];
    const { locate, placed } = createLocator({ home: database([]), others });
    placed(account, 'eu3');
    await assert.rejects(async () => locate({ url: '/widget.js?channel=shop', headers: {} }), {
      status: 503,
    });
    assert.equal(await locate({ url: `/widget.js?channel=${newId()}`, headers: {} }), 'eu3');
  });

  it('of a token does not wait for a cell that hangs', async () => {
    const hanging = { query: () => new Promise(() => {}) } as unknown as Reader;
    const others = () => [
      { name: 'eu2', db: hanging },
      { name: 'eu3', db: database([{ accountId: account, since: 0 }]) },
    ];
    const { locate, placed } = createLocator({ home: database([]), others });
    placed(account, 'eu3');
    assert.equal(await locate({ url: '/account', headers: old }), 'eu3');
  });

  it('of a value that is too long for any credential is home, without a query', () => {
    const home = database([]);
    const { locate } = createLocator({ home, others: () => [] });
    assert.equal(locate({ url: `/widget.js?channel=${'x'.repeat(300)}`, headers: {} }), 'home');
    assert.equal(home.asked, 0);
  });

  it('is a 503 at once while too many others are looked for', async () => {
    const hanging = { query: () => new Promise(() => {}) } as unknown as Reader;
    const { locate } = createLocator({ home: hanging, others: () => [] });
    const ask = (n: number) => locate({ url: `/widget.js?channel=name-${n}`, headers: {} });
    for (let n = 0; n < 256; n++) void ask(n);
    assert.throws(() => ask(256), { status: 503 });
  });

  it('of an account that does not exist is home, and displaces no account that does', async () => {
    const known = newId();
    const home = database([]);
    const { locate, placed } = createLocator({ home, others: () => [], keptAccounts: 1_000 });
    placed(known, 'eu2');
    const forged = () => ({ authorization: `Bearer tb_${tagOf(newId())}${'x'.repeat(43)}` });
    // More than there is room for accounts.
    for (let sent = 0; sent < 2_000; sent += 100) {
      const found = Array.from({ length: 100 }, () => locate({ url: '/account', headers: forged() }));
      assert.ok((await Promise.all(found)).every((cell) => cell === 'home'));
    }
    const asked = home.asked;
    const own = { authorization: `Bearer tb_${tagOf(known)}${'x'.repeat(43)}` };
    assert.equal(locate({ url: '/account', headers: own }), 'eu2');
    assert.equal(home.asked, asked);
  });

  it('of an account that does not exist is asked for once in a while only', async () => {
    const home = database([]);
    const { locate } = createLocator({ home, others: () => [] });
    for (let i = 0; i < 5; i++) assert.equal(await locate({ url: '/account', headers: tagged }), 'home');
    assert.equal(home.asked, 1);
  });

  it('of a channel is in the directory, and no other cell is asked', async () => {
    const channelId = newId();
    const home = database([{ accountId: account, cell: 'eu2' }]);
    const eu2 = database([]);
    const { locate } = createLocator({ home, others: () => [{ name: 'eu2', db: eu2 }] });
    assert.equal(await locate({ url: `/connect/${channelId}`, headers: {} }), 'eu2');
    assert.equal(locate({ url: `/connect/${channelId}`, headers: {} }), 'eu2');
    assert.deepEqual([home.asked, eu2.asked], [2, 0]);
  });

  it('of a channel that the directory does not know is found in its cell, and noted', async () => {
    const channelId = newId();
    const noted: string[] = [];
    const eu2 = database([{ accountId: account, since: 0 }]);
    const { locate, placed } = createLocator({
      home: database([]),
      others: () => [{ name: 'eu2', db: eu2 }],
      onChannelFound: (...found) => noted.push(found.join(' ')),
    });
    placed(account, 'eu2');
    assert.equal(await locate({ url: `/connect/${channelId}`, headers: {} }), 'eu2');
    assert.deepEqual(noted, [`${channelId} ${account}`]);
  });

  it('of a new channel is known at once where it was created', () => {
    const channelId = newId();
    const { locate, placed, noteChannels } = createLocator({ home: database(null), others: () => [] });
    placed(account, 'eu2');
    assert.deepEqual(noteChannels(account, [channelId]), [channelId]);
    assert.deepEqual(noteChannels(account, [channelId]), []);
    assert.equal(locate({ url: `/connect/${channelId}`, headers: {} }), 'eu2');
  });

  it('does not wait long for one that hangs', async () => {
    const hanging = { query: () => new Promise<never>(() => {}) };
    assert.equal(await answers(hanging), false);
    assert.equal(await answers(database([])), true);
  });
});

describe('a new account', () => {
  const cell = (name: string, accounts: number, weight = 100, drained = false) => ({
    name,
    accounts,
    weight,
    drained,
  });
  it('goes where there is the most weight for each account', () => {
    const any = () => true;
    assert.equal(roomiest([cell('home', 5), cell('eu2', 4)], any), 'eu2');
    assert.equal(roomiest([cell('home', 5, 300), cell('eu2', 4)], any), 'home');
    assert.equal(roomiest([cell('home', 5), cell('eu2', 0, 100, true), cell('eu3', 0, 0)], any), 'home');
    assert.equal(
      roomiest([cell('home', 5), cell('eu2', 0)], (name) => name === 'home'),
      'home',
    );
  });
});
