import { limits } from '../contract/limits.ts';
import { generatePassword, hashPassword } from '../server/features/accounts/accounts.ts';
import { startClock } from '../server/platform/clock.ts';
import { chooseAccount } from './choose-account.ts';
import { type Command, CommandError, readOptions, UsageError } from './command.ts';
import { counted } from './counted.ts';
import { withService } from './database.ts';
import { fillDemo } from './demo.fill.ts';
import { removeDemo } from './demo.remove.ts';
import { selectDemoObjects } from './demo.sql.ts';

export const demo: Command = {
  usage: '[--remove [--force]] [--account <id or name>] [--password <password>]',
  help: `Options:
  --remove               take away what an earlier run made, without a trace
  --force                with --remove: also the records that others have put on the boards of the demo
  --account <which>      id or name; needed only when there are several accounts
  --password <password>  lets the people of the demo sign in with it; without: nobody can sign in as them

The records are made by the rules of the API: webhooks hear of them like of any other.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      remove: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      account: { type: 'string' },
      password: { type: 'string' },
    });
    if (options.force && !options.remove) throw new UsageError('--force goes with --remove');
    if (options.password !== undefined && options.password.length < limits.passwordLength.min) {
      throw new UsageError(`--password must have at least ${limits.passwordLength.min} characters`);
    }
    return withService(terminal, async (db) => {
      const account = await chooseAccount(db, options.account);
      const clock = await startClock(db);
      const now = clock.now();
      clock.stop();
      if (options.remove) {
        const { records } = await db.transaction((tx) => removeDemo(tx, account.id, now, options.force));
        terminal.say(`The demo of "${account.name}" is gone, with ${counted(records, 'record')}.`);
        return 0;
      }
      const passwordHash = await hashPassword(options.password ?? generatePassword());
      const made = await db.transaction(async (tx) => {
        const { all } = await selectDemoObjects(tx, account.id);
        if (all.length > 0) throw new CommandError('the demo is there already; --remove takes it away');
        return fillDemo(tx, account.id, now, passwordHash);
      });
      terminal.say(
        `"${account.name}" has ${made.boards} more boards, ${counted(made.users, 'user')} and ${counted(made.records, 'record')} that ` +
          `were moved ${made.changes} times. talkboard demo --remove takes it all away.`,
      );
      return 0;
    });
  },
};
