import {
  audit,
  selectInstanceAdminAccounts,
  suspendAccount,
  systemActor,
} from '../../server/features/accounts/accounts.ts';
import { restoreAccount } from '../../server/platform/backups/account.ts';
import { decrypt } from '../../server/platform/backups/encryption.ts';
import { createFileRestorer } from '../../server/platform/backups/restore.files.ts';
import { scratchOf } from '../../server/platform/backups/sources.ts';
import { createBlobStore } from '../../server/platform/blobs/blob-store.ts';
import { homeCell } from '../../server/platform/cells/cell-settings.ts';
import { createDb, type Db } from '../../server/platform/db/db.ts';
import { migrationStatus } from '../../server/platform/db/migrate.ts';
import {
  type Command,
  CommandError,
  counted,
  readOptions,
  requireOption,
  type Terminal,
  UsageError,
} from '../command.ts';
import { lendToOwner, openCellDatabase, openDatabase, readSettings } from '../database.ts';
import { accountsInBackup, chooseInBackup } from './account-in-backup.ts';
import { openBackup, readKeyFile } from './sources.ts';

export const accountRestore: Command = {
  usage:
    '--from <backup> (--list | --account <id|name> --confirm <name>) [--key <file>] [--cell <name>] [--files-from <backup>]',
  help: `Options:
  --from <backup>    a file written by talkboard backup, s3://bucket/prefix/name, or the name of a backup in BACKUP_TO
  --list             show the accounts in the backup, with their ids, and do nothing else
  --account <id|name>  an account that was deleted, by its id or its name in the backup
  --confirm <name>   the name that the account has in the backup
  --key <file>       the file with the private key, for an encrypted backup
  --cell <name>      the cell that the backup is of, and where the account goes; without it the home cell
  --files-from <b>   with --cell: a backup of the home cell, which has the files of all cells

The account comes back with its ids, users, tokens and files. Other accounts are not touched, and the service may keep
running. It is refused while the account exists, and if users of other accounts have its e-mail addresses by now. The
account is suspended, so that nothing is sent before you have looked at it: talkboard account resume.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      from: { type: 'string' },
      list: { type: 'boolean', default: false },
      account: { type: 'string' },
      confirm: { type: 'string' },
      key: { type: 'string' },
      cell: { type: 'string' },
      'files-from': { type: 'string' },
    });
    const from = requireOption(options.from, 'from');
    if (options.list) return list(terminal, from, options.key);
    const account = requireOption(options.account, 'account');
    const confirm = requireOption(options.confirm, 'confirm');
    const isOfHome = options.cell === undefined || options.cell === homeCell;
    if (options['files-from'] && isOfHome) {
      throw new UsageError('--files-from is for another cell: a backup of the home cell has its files');
    }
    const config = readSettings(terminal);
    const privateKeys = readKeyFile(options.key);
    const { head, accounts } = await accountsInBackup(config, from, privateKeys);
    const { id: accountId } = chooseInBackup(accounts, account);
    const { stored, name: backup, close } = await openBackup(config, from);
    const blobs = createBlobStore(config);
    const files = createFileRestorer({
      dataDir: config.dataDir,
      force: false,
      bucket: blobs.takesUploads ? blobs : null,
      onPlaced: (paths) => lendToOwner(config.dataDir, paths),
    });
    const closers: (() => Promise<void>)[] = [close, () => blobs.close()];
    const open = (connection: Parameters<typeof createDb>[0]['connection']): Db => {
      const db = createDb({ connection: { ...connection, application_name: 'talkboard-cli' }, poolSize: 4 });
      closers.push(() => db.close());
      return db;
    };
    try {
      const database = await openCellDatabase(config, terminal, options.cell);
      closers.push(() => database.close());
      const db = open(database.connection);
      if ((await migrationStatus(db)).pending.length > 0) {
        throw new CommandError('the database lacks migrations: start the service, or run talkboard migrate');
      }
      const isHome = database.cell === null;
      const homeDatabase =
        isHome || config.cells.length === 0 ? database : await openDatabase(config, terminal);
      if (homeDatabase !== database) closers.push(() => homeDatabase.close());
      const home = config.cells.length === 0 ? null : isHome ? db : open(homeDatabase.connection);
      const filesFrom = options['files-from'];
      /** Opened when it is read: a bucket does not wait. */
      const openFiles = async () => {
        const other = await openBackup(config, filesFrom!);
        closers.push(async () => {
          other.stored.destroy();
          await other.close();
        });
        return decrypt(other.stored, privateKeys);
      };
      const entry = {
        action: 'account.restored',
        target: { type: 'account', id: accountId },
        changes: { name: confirm, backup, madeAt: head.createdAt },
      };
      const restored = await restoreAccount({
        packed: await decrypt(stored, privateKeys),
        filesFrom: filesFrom ? openFiles : null,
        accountId,
        confirm,
        db,
        cell: database.cell ?? 'home',
        home,
        files,
        scratch: scratchOf(config, database.connection),
        // Nothing is sent before a person has reviewed it.
        onCopied: async (tx) => {
          await suspendAccount(tx, systemActor(accountId), Date.now(), accountId, 'restored from a backup');
          await audit(tx, systemActor(accountId), Date.now(), entry);
        },
      });
      await noteForAdministrators(home ?? db, accountId, entry);
      terminal.print(accountId);
      terminal.say(
        `The account ${restored.name} is back: ${counted(restored.rows, 'row')} and ${counted(restored.files, 'file')}. ` +
          `It is suspended: talkboard account resume --account ${accountId}`,
      );
      return 0;
    } finally {
      files.dropUnfinished();
      stored.destroy();
      for (const step of closers.toReversed()) await step();
    }
  },
};

async function list(terminal: Terminal, from: string, key: string | undefined): Promise<number> {
  const { head, accounts } = await accountsInBackup(readSettings(terminal), from, readKeyFile(key));
  for (const { id, name } of accounts) terminal.print(`${id}  ${name}`);
  const cell = head.cell ? ` of the cell ${head.cell}` : '';
  terminal.say(`${counted(accounts.length, 'account')} in the backup${cell} of ${head.createdAt}.`);
  return 0;
}

/** In the log of an account of an instance administrator too, as its deletion is. */
async function noteForAdministrators(
  db: Db,
  accountId: string,
  entry: Parameters<typeof audit>[3],
): Promise<void> {
  const [other] = (await selectInstanceAdminAccounts(db)).filter((id) => id !== accountId);
  if (other === undefined) return;
  await db.transaction((tx) => audit(tx, systemActor(other), Date.now(), entry));
}
