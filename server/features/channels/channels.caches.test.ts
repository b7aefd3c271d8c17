/** The caches of definitions and of channels, with a size of two accounts instead of a thousand. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import type { Db } from '../../platform/db/db.ts';
import { lockAccountConfig } from '../accounts/accounts.ts';
import { createDefinitionsCache } from '../kanbans/kanbans.ts';
import { createDirectoryCache } from './channels.directory.ts';

describe('the caches of an account’s definitions and channels', () => {
  let service: TestService;
  const accounts: string[] = [];
  before(async () => {
    service = await joinTestService();
    for (let n = 0; n < 3; n++) accounts.push((await service.createAccount()).accountId);
  });
  after(() => service.close());

  /** The real database, and how many statements it received. */
  function counted(): { db: Db; sent(): number } {
    let count = 0;
    const { db } = service.context;
    const query: Db['query'] = (statement, options) => {
      count += 1;
      return db.query(statement, options);
    };
    return { db: { ...db, query }, sent: () => count };
  }

  it('keep the account that is used all the time, however many others come by', async () => {
    const [busy, ...others] = accounts as [string, ...string[]];
    const { db, sent } = counted();
    const definitions = createDefinitionsCache(db, 2);
    const directory = createDirectoryCache(db, 2);
    const use = async (accountId: string) => directory.of(accountId, await definitions.known(accountId));
    await use(busy);
    for (const other of others) {
      await use(other);
      const before = sent();
      await use(busy);
      assert.equal(sent(), before, 'the busy account is read again');
    }
    const before = sent();
    await use(others[0]!);
    assert.equal(sent(), before + 2, 'the one that nobody used made room');
  });

  it('drop an account when its configuration was changed under the lock, and only after the commit', async () => {
    const [changed, other] = accounts as [string, string];
    const { db, sent } = counted();
    const definitions = createDefinitionsCache(db);
    const readsOf = async (accountId: string) => {
      const before = sent();
      await definitions.known(accountId);
      return sent() - before;
    };
    await readsOf(changed);
    await readsOf(other);
    await service.context.db.transaction(async (tx) => {
      await lockAccountConfig(tx, changed);
      assert.equal(await readsOf(changed), 0, 'not committed yet');
    });
    assert.equal(await readsOf(changed), 1, 'dropped by the commit');
    assert.equal(await readsOf(other), 0, 'another account stays');
    const undone = service.context.db.transaction(async (tx) => {
      await lockAccountConfig(tx, changed);
      throw new Error('rolled back');
    });
    await assert.rejects(undone, /rolled back/);
    assert.equal(await readsOf(changed), 0, 'a rollback drops nothing');
  });

  it('follow every change that a route makes, and show it to the next reader', async () => {
    const { accountConfig, definitions } = service.context;
    const { accountId } = service.admin;
    const before = await accountConfig.fresh(accountId);
    const agentId = [...before.directory.agents.keys()][0]!;
    const channel = await service.call('POST', '/channels', {
      body: { name: 'New', identifier: 'new-one', type: 'api', defaultAgentId: agentId },
    });
    assert.equal(channel.status, 201, channel.text);
    assert.ok((await definitions.known(accountId)).version > before.version, 'no query for the version');
    const after = await accountConfig.fresh(accountId);
    assert.ok(after.directory.channels.has(channel.body.id));
    assert.deepEqual([after.definitions.version, after.directory.version], [after.version, after.version]);
  });

  it('stay within their size', async () => {
    const { db, sent } = counted();
    const definitions = createDefinitionsCache(db, 1);
    for (const accountId of [...accounts, ...accounts]) await definitions.known(accountId);
    assert.equal(sent(), 6);
  });
});
