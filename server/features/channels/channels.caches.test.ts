/** The caches of definitions and of channels, with a size of two accounts instead of a thousand. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import type { Db } from '../../platform/db/db.ts';
import { createDefinitionsCache } from '../kanbans/kanbans.ts';
import { createDirectoryCache } from './channels.directory.ts';

describe('the caches of an account’s definitions and channels', () => {
  let service: TestService;
  const accounts: string[] = [];
  before(async () => {
    service = await startTestService();
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

  it('stay within their size', async () => {
    const { db, sent } = counted();
    const definitions = createDefinitionsCache(db, 1);
    for (const accountId of [...accounts, ...accounts]) await definitions.known(accountId);
    assert.equal(sent(), 6);
  });
});
