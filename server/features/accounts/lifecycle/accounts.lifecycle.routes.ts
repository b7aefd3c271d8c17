import { AccountDeletionQuery, AccountSuspend, AccountSuspension } from '../../../../contract/accounts.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { notFound } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import { isId } from '../../../platform/ids.ts';
import { audit } from '../accounts.audit.ts';
import { runAt } from '../accounts.homes.ts';
import {
  lockDeletions,
  requestAccountDeletion,
  resumeAccount,
  suspendAccount,
} from './accounts.lifecycle.ts';

export function accountLifecycleRoutes(app: App, context: Context): void {
  const { db, instanceDb, clock, write, accountHomes, authenticator } = context;
  const tags = ['Instance'];
  const config = { access: { instanceAdmin: true } } as const;
  const params = Type.Object({ id: Type.String() });

  /** Where the account lives. Requests of this process notice it at once, others within a second. */
  const atHome = async <T>(tx: Tx, id: string, rule: (own: Tx) => Promise<T>): Promise<T> => {
    if (!isId(id)) throw notFound('account');
    tx.afterCommit(authenticator.forget);
    return runAt(await accountHomes.of(id), { db, tx }, rule);
  };

  app.post(
    '/admin/accounts/:id/suspend',
    {
      config,
      schema: {
        tags,
        summary: 'Suspend an account',
        description:
          'Its users, tokens and chats get a 403 ACCOUNT_SUSPENDED. What providers deliver is stored and processed after the account is resumed; nothing is sent until then.',
        params,
        body: AccountSuspend,
        response: { 200: AccountSuspension },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, body, params: place } = request;
        const reason = body.reason ?? null;
        const rule = (own: Tx) => suspendAccount(own, actor, clock.now(), place.id, reason);
        return { status: 200, body: await atHome(tx, place.id, rule) };
      }),
  );

  app.post(
    '/admin/accounts/:id/resume',
    {
      config,
      schema: { tags, summary: 'Resume a suspended account', params, response: { 200: AccountSuspension } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, params: place } = request;
        const rule = (own: Tx) => resumeAccount(own, actor, clock.now(), place.id);
        return { status: 200, body: await atHome(tx, place.id, rule) };
      }),
  );

  app.delete(
    '/admin/accounts/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete an account with everything in it',
        description:
          'Cannot be undone. The account is suspended at once; a job removes its rows and files, and then it is no longer listed. `name` confirms which account it is.',
        params,
        querystring: AccountDeletionQuery,
        response: { 202: AccountSuspension },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, params: place, query } = request;
        const now = clock.now();
        const rule = (own: Tx) => requestAccountDeletion(own, actor, now, place.id, query.name);
        // A deletion in another database than the caller's commits before this ends.
        const body = await runAt({ db: instanceDb }, { db, tx }, async (instance) => {
          await lockDeletions(instance, tx, actor);
          return atHome(tx, place.id, rule);
        });
        // In the log of who did it: that of the account goes.
        await audit(tx, actor, now, {
          action: 'account.deletion_requested',
          target: { type: 'account', id: place.id },
          changes: { name: query.name },
        });
        return { status: 202, body };
      }),
  );
}
