import { Type } from 'typebox';
import {
  Account,
  AccountUpdate,
  AdminAccountCreate,
  AdminAccountCreated,
  AdminAccountUpdate,
  AuditEntry,
  AuditQuery,
  ListedAccount,
  OwnAccount,
} from '../../../contract/accounts.ts';
import { limits } from '../../../contract/limits.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import type { Context } from '../../context.ts';
import { AppError, notFound } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { isId, newId } from '../../platform/ids.ts';
import { readAccountUsage } from '../../platform/limits/account-usage.ts';
import { findAccount } from './accounts.admin.sql.ts';
import { changeAccount, createAccount, listAccounts } from './accounts.admin.ts';
import { listAuditEntries } from './accounts.audit.ts';
import { runAt } from './accounts.homes.ts';
import { checkEmail } from './accounts.users.ts';
import { checkPassword, hashPassword } from './login/accounts.passwords.ts';

export function accountRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, accountStarters, accountHomes } = context;
  const tags = ['Account'];
  const admin = { access: { instanceAdmin: true } } as const;
  const listQuery = Type.Object(pageQuery(limits.listPage));

  app.get(
    '/account',
    {
      config: { access: { anyone: true } },
      schema: {
        tags,
        summary: 'Your account, its settings, limits and usage',
        response: { 200: OwnAccount },
      },
    },
    async (request) => {
      const { accountId } = request.actor;
      const [account, usage] = await Promise.all([
        findAccount(db, accountId),
        readAccountUsage(db, accountId, clock.now()),
      ]);
      if (!account) throw notFound('account');
      return { ...account, usage };
    },
  );

  app.patch(
    '/account',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        tags,
        summary: 'Change the name or the settings of your account',
        body: AccountUpdate,
        response: { 200: OwnAccount },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { accountId } = request.actor;
        const { name, language, replyTakesOver } = request.body;
        const change = { name, language, replyTakesOver };
        const account = await changeAccount(tx, request.actor, clock.now(), accountId, change);
        const usage = await readAccountUsage(tx, accountId, clock.now());
        return { status: 200, body: { ...account, usage } };
      }),
  );

  app.get(
    '/audit-log',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        tags,
        summary: 'Who changed what, newest first',
        querystring: AuditQuery,
        response: { 200: pageOf(AuditEntry) },
      },
    },
    (request) => listAuditEntries(db, request.actor.accountId, pageTokens, request.query),
  );

  app.post(
    '/admin/accounts',
    {
      config: admin,
      schema: {
        tags: ['Instance'],
        summary: 'Create an account with its administrator',
        body: AdminAccountCreate,
        response: { 201: AdminAccountCreated },
      },
    },
    async (request, reply) => {
      const { adminPassword, ...account } = request.body;
      checkPassword(adminPassword, checkEmail(account.adminEmail, 'adminEmail'), 'adminPassword');
      const adminPasswordHash = await hashPassword(adminPassword);
      return write(request, reply, async (tx) => {
        const id = newId(clock.now());
        const home = await accountHomes.forNew(id);
        const input = { ...account, id, adminPasswordHash };
        try {
          const body = await runAt(home, { db, tx }, (own) =>
            createAccount(own, clock.now(), input, accountStarters),
          );
          return { status: 201, body };
        } catch (error) {
          // After any other error the account may exist: then its place must stay known.
          if (error instanceof AppError && error.status < 500) await accountHomes.dropNew(id);
          throw error;
        }
      });
    },
  );

  app.get(
    '/admin/accounts',
    {
      config: admin,
      schema: {
        tags: ['Instance'],
        summary: 'List all accounts of the instance',
        querystring: listQuery,
        response: { 200: pageOf(ListedAccount) },
      },
    },
    (request) => listAccounts(accountHomes, pageTokens, request.query),
  );

  app.patch(
    '/admin/accounts/:id',
    {
      config: admin,
      schema: {
        tags: ['Instance'],
        summary: 'Rename an account or change its limits, effective at once',
        params: Type.Object({ id: Type.String() }),
        body: AdminAccountUpdate,
        response: { 200: Account },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { id } = request.params;
        if (!isId(id)) throw notFound('account');
        const home = await accountHomes.of(id);
        const { name, limits: changed } = request.body;
        const change = { name, limits: changed };
        const body = await runAt(home, { db, tx }, async (own) => {
          own.afterCommit(() => home.rateLimits.changed(id));
          return changeAccount(own, request.actor, clock.now(), id, change);
        });
        return { status: 200, body };
      }),
  );
}
