import { findLogin, systemActor } from '../server/features/accounts/accounts.ts';
import { createLoginLink } from '../server/features/sign-in/sign-in.ts';
import { startClock } from '../server/platform/db/clock.ts';
import type { Db } from '../server/platform/db/db.ts';
import { type Command, CommandError, readOptions, requireOption } from './command.ts';
import { type InstanceDatabases, withInstance } from './instance.ts';

export const loginLink: Command = {
  usage: '--email <address> [--json]',
  help: `Options:
  --email <address>  of the user; with administrator rights, if the identity provider is down
  --json             the link and when it expires, instead of the link alone

The link works once, for 15 minutes, also while OIDC_ONLY refuses passwords. Creating and using it are in the
audit log of the user's account. PUBLIC_URL must be that of the service.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      email: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const email = requireOption(options.email, 'email').trim().toLowerCase();
    return withInstance(terminal, async (instance) => {
      const { db, user } = await findUserOf(instance, email);
      const clock = await startClock(db);
      const now = clock.now();
      clock.stop();
      const actor = systemActor(user.accountId);
      const created = await db.transaction((tx) =>
        createLoginLink(tx, actor, now, user.id, instance.config.publicUrl),
      );
      terminal.print(options.json ? JSON.stringify(created, null, 2) : created.link);
      if (!options.json)
        terminal.say(`Signs in ${user.name} (${user.accountName}), once, within 15 minutes.`);
      return 0;
    });
  },
};

async function findUserOf({ cells }: InstanceDatabases, email: string) {
  const reachable = cells.map(({ db }) => db).filter((db): db is Db => db !== null);
  for (const db of reachable) {
    const user = await findLogin(db, email);
    if (user) return { db, user };
  }
  throw new CommandError(`there is no user with the e-mail address "${email}"`);
}
