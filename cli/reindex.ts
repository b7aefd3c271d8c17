import { reindex } from '../server/features/search/search.ts';
import { type Command, readOptions } from './command.ts';
import { counted } from './counted.ts';
import { withDatabase } from './database.ts';

const barWidth = 30;

export const reindexCommand: Command = {
  usage: '[--json]',
  help: `Options:
  --json  for scripts: { "records", "mended" }

Normally not needed: the index is written with every record, and text search follows changes on its own.
A correct index is left unchanged. The service may keep running.`,

  async run(args, terminal) {
    const options = readOptions(args, { json: { type: 'boolean', default: false } });
    return withDatabase(terminal, async (db) => {
      const showsBar = !options.json && process.stderr.isTTY === true;
      const { done, mended } = await reindex(db, (progress) => {
        if (showsBar) process.stderr.write(`\r${bar(progress.done, progress.total)}`);
      });
      if (showsBar) process.stderr.write('\n');
      if (options.json) terminal.print(JSON.stringify({ records: done, mended }));
      else
        terminal.say(
          `${counted(done, 'record')} compared, ${mended === 0 ? 'nothing to fix' : `${mended} fixed`}.`,
        );
      return 0;
    });
  },
};

function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.round(share * barWidth);
  return `[${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}] ${Math.round(share * 100)} %  ${done}/${total}`;
}
