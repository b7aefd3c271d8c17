import { listBackups } from '../../server/platform/backups/manifest.ts';
import { type Command, readOptions } from '../command.ts';
import { readSettings } from '../database.ts';
import { choosePlace, openAt } from './sources.ts';

export const backupList: Command = {
  usage: '[--to <folder or s3://bucket/prefix>] [--json]',
  help: `Options:
  --to <place>  where the backups are; without it BACKUP_TO
  --json        all that is known of each, for scripts

Newest first. A backup is good if it was completed, and verified if it was also restored for a test. Anything else is
unfinished, or was cut off since.`,

  async run(args, terminal) {
    const options = readOptions(args, { to: { type: 'string' }, json: { type: 'boolean', default: false } });
    const config = readSettings(terminal);
    const place = openAt(config, choosePlace(options.to, config));
    try {
      const listed = await listBackups(place);
      if (options.json) {
        terminal.print(JSON.stringify(listed, null, 2));
        return 0;
      }
      for (const { name, bytes, manifest } of listed) {
        const state = manifest === null ? 'not good' : manifest.verifiedAt ? 'verified' : 'good';
        terminal.print(`${name}  ${state.padEnd(8)}  ${(bytes / 2 ** 20).toFixed(1)} MB`);
      }
      if (listed.length === 0) terminal.say(`There are no backups in ${place.text}.`);
      return 0;
    } finally {
      await place.close();
    }
  },
};
