import type { FastifyRequest } from 'fastify';
import {
  Account,
  AccountUpdate,
  AdminAccountCreate,
  AdminAccountCreated,
  AdminAccountUpdate,
  AuditEntry,
  AuditQuery,
  CellOverview,
  ListedAccount,
  OwnAccount,
} from '../../../contract/accounts.ts';
import { limits } from '../../../contract/limits.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { readCells } from '../../platform/cells/move/overview.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { isId, newId } from '../../platform/ids.ts';
import { readAccountUsage } from '../../platform/limits/account-usage.ts';
import { hmac } from '../../platform/secrets/secrets.ts';
import { findAccount } from './accounts.admin.sql.ts';
import { changeAccount, createAccount, findCreated, listAccounts } from './accounts.admin.ts';
import { listAuditEntries } from './accounts.audit.ts';
import { runAt } from './accounts.homes.ts';
import { checkEmail } from './accounts.users.ts';
import { checkPassword, hashPassword } from './login/accounts.passwords.ts';

export function accountRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, accountStarters, accountHomes, secrets } = context;
  const tags = ['Account'];
  const admin = { access: { instanceAdmin: true } } as const;
  const requestKey = secrets.deriveKey('new-account');
  /** The same for the same request with the same Idempotency-Key; null: without one. The body holds a password. */
  const hashOf = ({ headers, actor, rawBody }: FastifyRequest): Buffer | null => {
    const key = headers['idempotency-key'];
    return key === undefined
      ? null
      : hmac(requestKey, `${actor.kind}:${actor.id} ${key} ${rawBody?.toString('latin1') ?? ''}`);
  };
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
      config: { access: { scope: 'manage', permission: 'account.manage' } },
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
      config: { access: { scope: 'manage', permission: 'audit.view' } },
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
      const { name, language, adminEmail, adminPassword } = request.body;
      const email = checkEmail(adminEmail, 'adminEmail');
      checkPassword(adminPassword, email, 'adminPassword');
      const adminPasswordHash = await hashPassword(adminPassword);
      // Before the transaction: what another database needs must be kept when this process dies in between.
      const { home, accountId, isRepeated, isEmailClaimed, settle } = await accountHomes.forNew({
        accountId: newId(clock.now()),
        email,
        request: hashOf(request),
      });
      const chosen = { name, ...(language && { language }), adminEmail };
      const input = { ...chosen, id: accountId, adminPasswordHash, isEmailClaimed };
      try {
        return await write(request, reply, async (tx) => {
          const body = await runAt(home, { db, tx }, async (own) => {
            const earlier = isRepeated ? await findCreated(own, accountId, email) : null;
            return earlier ?? createAccount(own, clock.now(), input, accountStarters);
          });
          return { status: 201, body };
        });
      } finally {
        // What cannot be settled now is settled later.
        await settle().catch(() => {});
      }
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

  app.get(
    '/admin/cells',
    {
      config: admin,
      schema: {
        tags: ['Instance'],
        summary: 'The databases of the instance, and accounts that move between them',
        response: { 200: CellOverview },
      },
    },
    () => readCells(context),
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
