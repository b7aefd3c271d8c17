import { text as readAll } from 'node:stream/consumers';
import { AdminAccountCreate } from '../contract/accounts.ts';
import {
  checkPassword,
  createAccount,
  generatePassword,
  hashPassword,
  lockFirstStart,
} from '../server/features/accounts/accounts.ts';
import { accountStarters } from '../server/new-account.ts';
import { startClock } from '../server/platform/db/clock.ts';
import { checkObject } from '../server/platform/http/validation.ts';
import { openSecrets } from '../server/platform/secrets/open-secrets.ts';
import { type Command, readOptions, requireOption } from './command.ts';
import { withService } from './database.ts';

export const accountCreate: Command = {
  usage: '--name <name> --email <address> [--password <password>] [--json]',
  help: `Options:
  --name <name>          the account's name
  --email <address>      the administrator's e-mail address, unique in the instance
  --password <password>  at least 10 characters, not a common password; - reads it from standard input, which keeps it out of process lists;
                         default: generated and printed
  --json                 the response of POST /admin/accounts, with the password if it was generated

In an empty database this is the first account, and its administrator becomes the administrator of the instance.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      name: { type: 'string' },
      email: { type: 'string' },
      password: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const name = requireOption(options.name, 'name');
    const adminEmail = requireOption(options.email, 'email');
    const given = options.password === '-' ? await readFirstLine() : options.password;
    const adminPassword = given ?? generatePassword();
    checkObject(AdminAccountCreate, { name, adminEmail, adminPassword });
    checkPassword(adminPassword, adminEmail, '--password');
    const adminPasswordHash = await hashPassword(adminPassword);

    return withService(terminal, async (db, config) => {
      const clock = await startClock(db);
      const now = clock.now();
      clock.stop();
      const secrets = await openSecrets(db, config);
      const created = await db.transaction(async (tx) => {
        // The service creates an instance administrator only in an empty database, which this one no longer is.
        const { isFirst } = await lockFirstStart(tx);
        const input = { name, adminEmail, adminPasswordHash, isInstanceAdmin: isFirst };
        return createAccount(tx, now, input, accountStarters(secrets));
      });
      const { account } = created;
      const { id, email, name: userName, role } = created.user;
      if (options.json) {
        const user = { id, email, name: userName, role };
        const shown = { account, user, ...(given === undefined && { password: adminPassword }) };
        terminal.print(JSON.stringify(shown, null, 2));
      } else {
        terminal.print(`account   ${account.id}`);
        terminal.print(`e-mail    ${email}`);
        if (given === undefined) terminal.print(`password  ${adminPassword}`);
      }
      return 0;
    });
  },
};

async function readFirstLine(): Promise<string> {
  const [line = ''] = (await readAll(process.stdin)).split(/\r?\n/);
  return line;
}
