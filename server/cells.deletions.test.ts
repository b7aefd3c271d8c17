/** Two administrators of the instance, whose accounts are in different databases, delete the account of each other. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../test/support/eventually.ts';
import { startTestService, type TestService } from '../test/support/service.ts';
import { cellOfAccount } from './platform/cells/directory.ts';
import { sql } from './platform/db/sql.ts';

interface Administrator {
  accountId: string;
  jwt: string;
  name: string;
}

describe('deletions of accounts in two cells', () => {
  let service: TestService;
  let counter = 0;
  before(async () => {
    service = await startTestService({ cells: ['eu2'] });
  });
  after(() => service.close());

  /** New accounts go where there is the most room, so one is made until it is in the right cell. */
  const administratorIn = async (cell: string): Promise<Administrator> => {
    const name = `Of administrator ${++counter}`;
    const { accountId, jwt } = await service.createAccount(name);
    if ((await cellOfAccount(service.context.db, accountId)) !== cell) return administratorIn(cell);
    await service
      .contextOf(cell)
      .db.autocommit(sql`update users set is_instance_admin = true where account_id = ${accountId}`);
    // The rights of a caller are remembered for a moment.
    await eventually(
      async () => (await service.call('GET', '/admin/accounts', { token: jwt })).status === 200,
    );
    return { accountId, jwt, name };
  };
  const remove = ({ accountId, name }: Administrator, { jwt }: Administrator) =>
    service.call('DELETE', `/admin/accounts/${accountId}?name=${encodeURIComponent(name)}`, { token: jwt });

  /** Both have begun before one of them gets the lock. */
  const deleteEachOther = async () => {
    const home = await administratorIn('home');
    const other = await administratorIn('eu2');
    const { db } = service.context;
    let answers!: ReturnType<typeof remove>[];
    await db.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(7231014)`);
      answers = [remove(other, home), remove(home, other)];
      await eventually(async () => {
        const waiting = await db.query(sql`
          select from pg_locks where locktype = 'advisory' and objid = 7231014 and not granted
            and database = (select oid from pg_database where datname = current_database())`);
        return waiting.length === 2;
      });
    });
    return Promise.all(answers);
  };

  it('one of them succeeds, the other is told that their own account is being deleted', async () => {
    let answers = await deleteEachOther();
    // A machine on which a lock takes seconds answers that it is busy.
    for (let tries = 0; tries < 3 && answers.some(({ status }) => status === 503); tries++) {
      answers = await deleteEachOther();
    }
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409], JSON.stringify(answers));
    const refused = answers.find(({ status }) => status === 409)!;
    assert.match(refused.body.message, /your own account is being deleted/);
  });
});
