import { scratchOf } from '../../server/platform/backups/sources.ts';
import { verifyBackup } from '../../server/platform/backups/verify.ts';
import { type Command, counted, readOptions, requireOption } from '../command.ts';
import { openDatabase, readSettings } from '../database.ts';
import { openBackup, readKeyFile } from './sources.ts';

export const backupVerify: Command = {
  usage: '--from <backup> [--key <file>]',
  help: `Options:
  --from <backup>  a file written by talkboard backup, s3://bucket/prefix/name, or the name of a backup in BACKUP_TO
  --key <file>     the file with the private key, for an encrypted backup

Restores it into a scratch database on the server of the database (or of BACKUP_SCRATCH_URL), compares every row and every
file with the checksums in the backup, and removes the scratch database. Nothing else is changed.`,

  async run(args, terminal) {
    const options = readOptions(args, { from: { type: 'string' }, key: { type: 'string' } });
    const from = requireOption(options.from, 'from');
    const config = readSettings(terminal);
    const privateKeys = readKeyFile(options.key);
    const { name, stored, close } = await openBackup(config, from);
    try {
      const database = await openDatabase(config, terminal);
      try {
        const server = scratchOf(config, database.connection);
        const { head, rows, tables, files } = await verifyBackup({ stored, privateKeys, server });
        terminal.print(`${name} is good: made by ${head.version} at ${head.createdAt}.`);
        terminal.say(
          `${counted(rows, 'row')} of ${counted(tables, 'table')} and ${counted(files, 'file')} compared.`,
        );
        return 0;
      } finally {
        await database.close();
      }
    } finally {
      stored.destroy();
      await close();
    }
  },
};
