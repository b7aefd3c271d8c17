import { AccountSecurity, AccountSecurityUpdate } from '../../../../contract/sign-in/second-factors.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { changeSecurity, describeSecurity } from './accounts.security.ts';

export function securityRoutes(app: App, { db, clock, write, authenticator }: Context): void {
  const tags = ['Account'];
  const config = { access: { scope: 'manage', permission: 'security.manage' } } as const;

  app.get(
    '/account/security',
    {
      config,
      schema: {
        tags,
        summary: 'The rules of your account for signing in',
        response: { 200: AccountSecurity },
      },
    },
    (request) => describeSecurity(db, request.actor.accountId, request.clientAddress),
  );

  app.patch(
    '/account/security',
    {
      config,
      schema: {
        tags,
        summary: 'Require a second factor, or restrict where administrators may be',
        description:
          'Sessions that the new rules do not allow end. A list without your own address is a 409 unless you confirm it. Tokens cannot change the rules, and only an administrator changes `adminAddresses` (403).',
        body: AccountSecurityUpdate,
        response: { 200: AccountSecurity },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const { requireSecondFactor, adminAddresses, confirmLockout } = request.body;
        const change = { requireSecondFactor, adminAddresses, confirmLockout };
        const rules = await changeSecurity(tx, request.actor, clock.now(), change);
        return { status: 200, body: { ...rules, yourAddress: request.clientAddress } };
      }),
  );
}
