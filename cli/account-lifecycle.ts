import {
  audit,
  requestAccountDeletion,
  resumeAccount,
  selectInstanceAdminAccounts,
  suspendAccount,
  systemActor,
} from '../server/features/accounts/accounts.ts';
import { startClock } from '../server/platform/db/clock.ts';
import type { Db, Tx } from '../server/platform/db/db.ts';
import { type Command, CommandError, readOptions, requireOption } from './command.ts';
import { type InstanceDatabases, withAccount } from './instance.ts';

const accountOption = `  --account <id|name>  the account`;

export const accountSuspend: Command = {
  usage: '--account <id|name> [--reason <text>]',
  help: `Options:
${accountOption}
  --reason <text>      for the administrators of the instance and the audit log

Users, tokens and chats of the account get a 403 until it is resumed, and nothing is sent. What providers deliver is kept.`,

  async run(args, terminal) {
    const options = readOptions(args, { account: { type: 'string' }, reason: { type: 'string' } });
    return withAccount(terminal, requireOption(options.account, 'account'), async (db, { id, name }) => {
      await write(db, (tx, now) => suspendAccount(tx, systemActor(id), now, id, options.reason ?? null));
      terminal.say(`The account ${name} is suspended.`);
      return 0;
    });
  },
};

export const accountResume: Command = {
  usage: '--account <id|name>',
  help: `Options:
${accountOption}

What waited while the account was suspended goes on.`,

  async run(args, terminal) {
    const options = readOptions(args, { account: { type: 'string' } });
    return withAccount(terminal, requireOption(options.account, 'account'), async (db, { id, name }) => {
      await write(db, (tx, now) => resumeAccount(tx, systemActor(id), now, id));
      terminal.say(`The account ${name} is active.`);
      return 0;
    });
  },
};

export const accountDelete: Command = {
  usage: '--account <id|name> --confirm <name>',
  help: `Options:
${accountOption}
  --confirm <name>     the name of the account, as it is written

Deletes the account with everything in it: users, boards, conversations, files. This cannot be undone. The account is
suspended at once; the running service removes the data in the background. Backups made before still have it.`,

  async run(args, terminal) {
    const options = readOptions(args, { account: { type: 'string' }, confirm: { type: 'string' } });
    const confirm = requireOption(options.confirm, 'confirm');
    const account = requireOption(options.account, 'account');
    return withAccount(terminal, account, async (db, { id, name }, instance) => {
      if (confirm !== name) throw new CommandError(`--confirm must be "${name}", as it is written`);
      await noteDeletion(instance, { id, name });
      await write(db, (tx, now) => requestAccountDeletion(tx, systemActor(id), now, id, confirm));
      terminal.say(`The account ${name} is being deleted by the running service.`);
      return 0;
    });
  },
};

/** In the log of an account of an instance administrator: that of the account goes. */
async function noteDeletion(
  { cells }: InstanceDatabases,
  account: { id: string; name: string },
): Promise<void> {
  for (const { db } of cells) {
    const [other] = db ? (await selectInstanceAdminAccounts(db)).filter((id) => id !== account.id) : [];
    if (!db || other === undefined) continue;
    return write(db, (tx, now) =>
      audit(tx, systemActor(other), now, {
        action: 'account.deletion_requested',
        target: { type: 'account', id: account.id },
        changes: { name: account.name },
      }),
    );
  }
  throw new CommandError(
    `no other account has an administrator of the instance: it would have none after "${account.name}" is deleted`,
  );
}

async function write(db: Db, rule: (tx: Tx, now: number) => Promise<unknown>): Promise<void> {
  const clock = await startClock(db);
  const now = clock.now();
  clock.stop();
  await db.transaction((tx) => rule(tx, now));
}
