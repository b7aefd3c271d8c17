/** The way back in for people who have locked themselves out. */
import { changeSecurity, resetFactors, systemActor } from '../server/features/accounts/accounts.ts';
import { startClock } from '../server/platform/db/clock.ts';
import type { Db } from '../server/platform/db/db.ts';
import { type Command, CommandError, readOptions, requireOption } from './command.ts';
import { withAccount, withInstance } from './instance.ts';
import { findUserByEmail } from './sign-in.sql.ts';

export const userResetFactors: Command = {
  usage: '--email <address>',
  help: `Options:
  --email <address>  of the user

Removes the user's authenticator app, passkeys and recovery codes and ends their sessions. The password stays as it is.`,

  async run(args, terminal) {
    const options = readOptions(args, { email: { type: 'string' } });
    const email = requireOption(options.email, 'email').trim().toLowerCase();
    return withInstance(terminal, async ({ cells }) => {
      for (const { db } of cells) {
        const user = db && (await findUserByEmail(db, email));
        if (!db || !user) continue;
        const now = await nowOf(db);
        await db.transaction((tx) => resetFactors(tx, systemActor(user.accountId), now, user.id));
        terminal.say(`${user.name} has no second factor any more and can sign in with the password alone.`);
        return 0;
      }
      throw new CommandError(`there is no user with the e-mail address ${email}`);
    });
  },
};

export const accountClearAddresses: Command = {
  usage: '[--account <id or name>]',
  help: `Options:
  --account <which>  id or name; needed only when there are several accounts

Empties the list of addresses from which administrators of the account may sign in. Lists of API tokens stay. The list
for administrators of the instance is the setting INSTANCE_ADMIN_ADDRESSES.`,

  async run(args, terminal) {
    const options = readOptions(args, { account: { type: 'string' } });
    return withAccount(terminal, options.account, async (db, account) => {
      const now = await nowOf(db);
      await db.transaction((tx) => changeSecurity(tx, systemActor(account.id), now, { adminAddresses: [] }));
      terminal.say(`Administrators of "${account.name}" can sign in from everywhere.`);
      return 0;
    });
  },
};

async function nowOf(db: Db): Promise<number> {
  const clock = await startClock(db);
  const now = clock.now();
  clock.stop();
  return now;
}
