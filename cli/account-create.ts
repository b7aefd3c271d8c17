import { text as readAll } from 'node:stream/consumers';
import { AdminAccountCreate } from '../contract/accounts.ts';
import {
  checkPassword,
  createAccount,
  generatePassword,
  hasAccounts,
  hashPassword,
  lockFirstStart,
} from '../server/features/accounts/accounts.ts';
import { accountStarters } from '../server/new-account.ts';
import { homeCell } from '../server/platform/cells/cell-settings.ts';
import { startClock } from '../server/platform/db/clock.ts';
import type { Tx } from '../server/platform/db/db.ts';
import { checkObject } from '../server/platform/http/validation.ts';
import { newId } from '../server/platform/ids.ts';
import { openSecrets } from '../server/platform/secrets/open-secrets.ts';
import { requireCell } from './cells/cells.ts';
import { type Command, readOptions, requireOption } from './command.ts';
import { withInstance } from './instance.ts';

export const accountCreate: Command = {
  usage: '--name <name> --email <address> [--password <password>] [--cell <name>] [--json]',
  help: `Options:
  --name <name>          the account's name
  --email <address>      the administrator's e-mail address, unique in the instance
  --password <password>  at least 10 characters, not a common password; - reads it from standard input, which keeps it out of process lists;
                         default: generated and printed
  --cell <name>          where it lives, if there are CELLS; default: where there is the most room
  --json                 the response of POST /admin/accounts, with the password if it was generated

In an empty database this is the first account, and its administrator becomes the administrator of the instance.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      name: { type: 'string' },
      email: { type: 'string' },
      password: { type: 'string' },
      cell: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const name = requireOption(options.name, 'name');
    const adminEmail = requireOption(options.email, 'email');
    const given = options.password === '-' ? await readFirstLine() : options.password;
    const adminPassword = given ?? generatePassword();
    checkObject(AdminAccountCreate, { name, adminEmail, adminPassword });
    checkPassword(adminPassword, adminEmail, '--password');
    const adminPasswordHash = await hashPassword(adminPassword);

    return withInstance(terminal, async (instance) => {
      const { home, config, directory } = instance;
      const clock = await startClock(home);
      const now = clock.now();
      clock.stop();
      const secrets = await openSecrets(home, config);
      const isFirst = !(await hasAccounts(home));
      // The administrators of the instance are in the home cell.
      const chosen = options.cell
        ? (await requireCell(instance, options.cell)).name
        : isFirst
          ? homeCell
          : undefined;
      const id = newId(now);
      const placed = await directory.place(id, { cell: chosen });
      const { cell } = placed;
      const input = { id, name, adminEmail, adminPasswordHash };
      const create = async (tx: Tx) => {
        // The service creates an instance administrator only in an empty database, which this one no longer is.
        const isInstanceAdmin = cell === homeCell && (await lockFirstStart(tx)).isFirst;
        return createAccount(tx, now, { ...input, isInstanceAdmin }, accountStarters(secrets));
      };
      const created = await directory
        .requireDb(cell)
        .transaction(create)
        // What cannot be settled now is settled by the service.
        .finally(() => directory.settle(placed).catch(() => {}));
      const { account } = created;
      const { id: userId, email, name: userName, role } = created.user;
      if (options.json) {
        const user = { id: userId, email, name: userName, role };
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
