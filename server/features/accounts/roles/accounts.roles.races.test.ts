/** Rights that two transactions change at the same moment: the second one waits, and then sees what the first has done. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Permission } from '../../../../contract/roles/permissions.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { changeUser, createUser, systemActor } from '../accounts.ts';
import { removeUser } from '../accounts.users.ts';
import { lockAccountState } from '../lifecycle/accounts.lifecycle.sql.ts';
import { requestAccountDeletion } from '../lifecycle/accounts.lifecycle.ts';
import { lockInstanceAdmins } from './accounts.roles.sql.ts';

describe('rights that are changed at the same moment', () => {
  let service: TestService;
  let count = 0;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const now = () => service.context.clock.now();
  const password = 'a long password of a test';
  const makeRole = async (jwt: string, permissions: Permission[]) => {
    const body = { name: `Role ${++count}`, permissions };
    const made = await service.call('POST', '/roles', { token: jwt, body });
    assert.equal(made.status, 201, made.text);
    return made.body.id as string;
  };
  const makeUser = async (jwt: string, role: object) => {
    const email = `race${++count}@example.com`;
    const made = await service.call('POST', '/users', {
      token: jwt,
      body: { name: 'Somebody', email, password, ...role },
    });
    assert.equal(made.status, 201, made.text);
    return { id: made.body.id as string, email };
  };
  /** The second begins while the first has not ended, and waits for its lock. */
  const race = async <T>(
    lock: string,
    first: (tx: Tx) => Promise<unknown>,
    second: () => Promise<T>,
    meanwhile: (tx: Tx) => Promise<unknown> = async () => {},
  ) => {
    const { db } = service.context;
    let other!: Promise<T>;
    await db.transaction(async (tx) => {
      await first(tx);
      other = second();
      other.catch(() => {}); // awaited below
      await eventually(async () => {
        const waiting = await db.query(sql`
          select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
            and query like ${`%${lock}%`}`);
        return waiting.length > 0;
      });
      await meanwhile(tx);
    });
    return other;
  };
  const rights = '7231012';

  it('a demotion of somebody who is being promoted does not leave the account without an administrator', async () => {
    const { jwt, accountId } = await service.createAccount();
    const system = systemActor(accountId);
    const { user: admin } = (await service.call('GET', '/auth/me', { token: jwt })).body;
    const other = await makeUser(jwt, { role: 'operator', roleId: await makeRole(jwt, ['records.view']) });
    const second = () =>
      service.context.db.transaction((tx) =>
        changeUser(tx, system, now(), other.id, { role: 'operator', roleId: null }),
      );
    const first = async (tx: Tx) => {
      await changeUser(tx, system, now(), other.id, { role: 'admin' });
      await changeUser(tx, system, now(), admin.id, { role: 'operator' });
    };
    await assert.rejects(race(rights, first, second), /the last administrator cannot be demoted/);
    const left = await service.context.db.query<{ id: string }>(
      sql`select id from users where account_id = ${accountId} and role = 'admin'`,
    );
    assert.deepEqual(left, [{ id: other.id }]);
  });

  it('who is being demoted gives nothing any more, by whatever way', async () => {
    const { jwt, accountId } = await service.createAccount();
    const managing = await makeRole(jwt, ['records.view', 'audit.view', 'users.manage', 'tokens.manage']);
    const smaller = await makeRole(jwt, ['records.view', 'users.manage']);
    const friend = await makeUser(jwt, { role: 'operator', roleId: await makeRole(jwt, ['records.view']) });
    const given = { role: 'operator', roleId: managing };
    const ways: [string, string, object][] = [
      ['POST', '/users', { name: 'New', email: 'new@race.example', password, ...given }],
      ['POST', '/invitations', { email: 'invited@race.example', ...given }],
      ['PATCH', `/users/${friend.id}`, { roleId: managing }],
    ];
    for (const [method, path, body] of ways) {
      const manager = await makeUser(jwt, given);
      const token = await service.login(manager.email, password);
      const answer = await race(
        rights,
        (tx) => changeUser(tx, systemActor(accountId), now(), manager.id, { roleId: smaller }),
        () => service.call(method as 'POST', path, { token, body }),
      );
      assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
    }
  });

  it('who is being demoted makes no links and resets, changes and revokes nothing', async () => {
    const { jwt, accountId } = await service.createAccount();
    const call = async (method: 'POST', path: string, token: string, body?: object) => {
      const answer = await service.call(method, path, { token, ...(body && { body }) });
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id as string;
    };
    const { user: admin } = (await service.call('GET', '/auth/me', { token: jwt })).body;
    const tokenId = await call('POST', '/api-tokens', jwt, { name: 'Of the administrator' });
    const invitationId = await call('POST', '/invitations', jwt, {
      email: 'open@race.example',
      role: 'admin',
    });
    const [operator, manager] = [
      { role: 'operator', roleId: null },
      { role: 'operator', roleId: await makeRole(jwt, ['records.view', 'users.manage', 'tokens.manage']) },
    ] as const;
    const ways: [string, string, object | null][] = [
      ['POST', `/users/${admin.id}/password-reset`, null],
      ['POST', `/users/${admin.id}/reset-factors`, null],
      ['PATCH', `/api-tokens/${tokenId}`, { allowedAddresses: ['127.0.0.1'] }],
      ['POST', `/api-tokens/${tokenId}/transfer`, { userId: admin.id }],
      ['DELETE', `/api-tokens/${tokenId}`, null],
      ['POST', '/invitations', { email: 'new@race.example', role: 'operator' }],
      ['POST', `/invitations/${invitationId}/link`, null],
      ['DELETE', `/invitations/${invitationId}`, null],
    ];
    for (const next of [operator, manager]) {
      for (const [method, path, body] of ways) {
        // What a manager may do themselves.
        if (next === manager && path === '/invitations') continue;
        const demoted = await makeUser(jwt, { role: 'admin' });
        const token = await service.login(demoted.email, password);
        const answer = await race(
          rights,
          (tx) => changeUser(tx, systemActor(accountId), now(), demoted.id, { ...next }),
          () => service.call(method as 'POST', path, { token, ...(body && { body }) }),
        );
        assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
      }
    }
  });

  it('a password is not set for somebody who is getting more rights', async () => {
    const { jwt, accountId } = await service.createAccount();
    const managing = await makeRole(jwt, ['records.view', 'users.manage']);
    const manager = await makeUser(jwt, { role: 'operator', roleId: managing });
    const other = await makeUser(jwt, { role: 'operator', roleId: await makeRole(jwt, ['records.view']) });
    const token = await service.login(manager.email, password);
    const body = { password: 'known to the manager' };
    const answer = await race(
      rights,
      (tx) => changeUser(tx, systemActor(accountId), now(), other.id, { role: 'admin' }),
      () => service.call('PATCH', `/users/${other.id}`, { token, body }),
    );
    assert.equal(answer.status, 403, answer.text);
  });

  it('the last two administrators of the instance are not deleted at once', async () => {
    const [one, two] = [await service.createAccount(), await service.createAccount()];
    const { context } = service;
    const admins: { accountId: string; id: string }[] = [];
    for (const { accountId } of [one, two]) {
      const { id } = await context.db.transaction((tx) =>
        createUser(tx, systemActor(accountId), now(), {
          email: `instance${++count}@example.com`,
          name: 'Instance',
          role: 'admin',
          passwordHash: 'x',
          isInstanceAdmin: true,
        }),
      );
      admins.push({ accountId, id });
    }
    const setFirst = (is: boolean) =>
      context.db.transaction((tx) =>
        tx.query(sql`update users set is_instance_admin = ${is} where id = ${service.admin.userId}`),
      );
    await setFirst(false);
    try {
      const remove = (tx: Tx, { accountId, id }: (typeof admins)[number]) =>
        removeUser(tx, systemActor(accountId), now(), id, context);
      await assert.rejects(
        race(
          '7231013',
          (tx) => remove(tx, admins[0]!),
          () => context.db.transaction((tx) => remove(tx, admins[1]!)),
        ),
        /the last instance administrator cannot be deleted/,
      );
    } finally {
      await setFirst(true);
    }
  });

  it('an administrator of the instance is removed while their account is being deleted: none waits for ever', async () => {
    const { accountId } = await service.createAccount();
    const { context } = service;
    const { id } = await context.db.transaction((tx) =>
      createUser(tx, systemActor(accountId), now(), {
        ...{ email: `instance${++count}@example.com`, name: 'Instance', role: 'admin' },
        ...{ passwordHash: 'x', isInstanceAdmin: true },
      }),
    );
    await race(
      '7231013',
      lockInstanceAdmins,
      () => context.db.transaction((tx) => removeUser(tx, systemActor(accountId), now(), id, context)),
      // As where an account is deleted, after the lock.
      (tx) => lockAccountState(tx, accountId),
    );
  });

  it('two administrators of the instance do not delete the accounts of each other', async () => {
    const [one, two] = [await service.createAccount('One'), await service.createAccount('Two')];
    const actorOf = (accountId: string) => ({
      ...systemActor(accountId),
      ...{
        kind: 'user',
        id: service.admin.userId,
        email: '',
        role: 'admin',
        isInstanceAdmin: true,
        sessionId: '',
      },
    });
    type Given = Parameters<typeof requestAccountDeletion>[1];
    const remove = (tx: Tx, by: string, id: string, name: string) =>
      requestAccountDeletion(tx, actorOf(by) as Given, now(), id, name);
    await assert.rejects(
      race(
        '7231013',
        (tx) => remove(tx, one.accountId, two.accountId, 'Two'),
        () => service.context.db.transaction((tx) => remove(tx, two.accountId, one.accountId, 'One')),
      ),
      /your own account is being deleted/,
    );
  });
});
