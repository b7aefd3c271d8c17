import { limits } from '../contract/limits.ts';
import { checkPassword, generatePassword, hashPassword } from '../server/features/accounts/accounts.ts';
import { fillDemo, removeDemo } from '../server/features/first-run/first-run.ts';
import { startClock } from '../server/platform/db/clock.ts';
import { openSecrets } from '../server/platform/secrets/open-secrets.ts';
import { type Command, counted, readOptions, UsageError } from './command.ts';
import { withAccount } from './instance.ts';

export const demo: Command = {
  usage: '[--remove [--force]] [--account <id or name>] [--password <password>]',
  help: `Options:
  --remove               remove everything an earlier run created
  --force                with --remove: also the records and messages that people have added to the demo
  --account <which>      id or name; needed only when there are several accounts
  --password <password>  lets the demo users sign in with it; default: they cannot sign in

The last 90 days of a coffee roastery and its customers. No webhook or notification is sent, and no agent
replies to past messages.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      remove: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      account: { type: 'string' },
      password: { type: 'string' },
    });
    if (options.force && !options.remove) throw new UsageError('--force requires --remove');
    if (options.password !== undefined && options.password.length < limits.passwordLength.min) {
      throw new UsageError(`--password must have at least ${limits.passwordLength.min} characters`);
    }
    if (options.password !== undefined) checkPassword(options.password, '', '--password');
    return withAccount(terminal, options.account, async (db, { id, name }, { home, config }) => {
      const clock = await startClock(db);
      const now = clock.now();
      clock.stop();
      if (options.remove) {
        const gone = await db.transaction((tx) => removeDemo(tx, id, { now, force: options.force }));
        terminal.say(
          `Removed the demo of "${name}" with ${counted(gone.records, 'record')} and ${counted(gone.conversations, 'conversation')}.`,
        );
        return 0;
      }
      const secrets = await openSecrets(home, config);
      const passwordHash = await hashPassword(options.password ?? generatePassword());
      const made = await db.transaction((tx) => fillDemo(tx, id, { now, secrets, passwordHash }));
      terminal.say(
        `"${name}" has ${made.boards} more boards, ${counted(made.users, 'user')}, ${counted(made.records, 'record')} that were moved ` +
          `${made.changes} times, and ${counted(made.conversations, 'conversation')} with ${made.messages} messages. ` +
          'Run talkboard demo --remove to remove it all.',
      );
      return 0;
    });
  },
};
