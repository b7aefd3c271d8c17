import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createDb, type Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { conflict } from '../http/errors.ts';
import { describeJobError, withoutQuoted } from './job-error.ts';
import { enqueue, instanceAccountId, startJobs } from './jobs.ts';

const secret = 'My card is 4111 1111';

describe('the stored error of a job', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 3 });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it('has class, code and our own words, and no text of a customer', async () => {
    const caught = async (run: () => unknown) => {
      try {
        await run();
      } catch (error) {
        return describeJobError(error);
      }
      throw new Error('it did not fail');
    };
    assert.equal(
      await caught(() => db.query(sql`select ${secret}::text::uuid`)),
      'DatabaseError 22P02: see the log of the worker',
    );
    assert.match(
      await caught(() =>
        db.query(sql`insert into housekeeping_steps (step) values (${secret}), (${secret})`),
      ),
      /^DatabaseError 23505: table housekeeping_steps, constraint \w+, see the log of the worker$/,
    );
    assert.equal(await caught(() => JSON.parse(secret)), 'SyntaxError: see the log of the worker');
    assert.equal(
      await caught(() => {
        throw conflict(`the name "${secret}" is in use, isn't it`);
      }),
      "AppError CONFLICT: the name … is in use, isn't it",
    );
    assert.equal(describeJobError(secret), 'unknown error: see the log of the worker');
    assert.equal(
      describeJobError(Object.assign(new Error(secret), { code: secret })),
      'Error: see the log of the worker',
    );
  });

  it('older texts lose what they quote', () => {
    for (const text of [
      `error: invalid input syntax for type uuid: "${secret}"`,
      `Key (email)=(${secret}) already exists`,
      `SyntaxError: Unexpected token 'M', "${secret}`,
    ]) {
      assert.ok(!withoutQuoted(text).includes('4111'), withoutQuoted(text));
    }
  });

  it('a job that fails stores it so', async () => {
    const logger = { info() {}, warn() {}, error() {}, debug() {} };
    await db.transaction((tx) =>
      enqueue(tx, { accountId: instanceAccountId, kind: 'quoting', maxAttempts: 1 }),
    );
    const handlers = { quoting: async () => void (await db.query(sql`select ${secret}::text::uuid`)) };
    const jobs = startJobs({ db, logger: logger as never, handlers });
    try {
      const failed = () =>
        db.query<{ error: string }>(
          sql`select last_error as error from jobs where kind = 'quoting' and failed_at is not null`,
        );
      await eventually(async () => (await failed()).length > 0);
      assert.deepEqual(await failed(), [{ error: 'DatabaseError 22P02: see the log of the worker' }]);
    } finally {
      await jobs.stop();
    }
  });
});
