import { reindex } from '../server/features/search/search.ts';
import { type Command, counted, readOptions } from './command.ts';
import { withInstance } from './instance.ts';

const barWidth = 30;

export const reindexCommand: Command = {
  usage: '[--json]',
  help: `Options:
  --json  for scripts: { "records", "mended" }, in all cells together

Normally not needed: the index is written with every record, and text search follows changes on its own.
A correct index is left unchanged. With CELLS every cell is covered. The service may keep running.`,

  async run(args, terminal) {
    const options = readOptions(args, { json: { type: 'boolean', default: false } });
    return withInstance(terminal, async ({ cells }) => {
      const showsBar = !options.json && process.stderr.isTTY === true;
      const all = { records: 0, mended: 0 };
      for (const { name, db } of cells) {
        if (!db) continue;
        const { done, mended } = await reindex(db, (progress) => {
          if (showsBar) process.stderr.write(`\r${bar(progress.done, progress.total)}`);
        });
        if (showsBar) process.stderr.write('\n');
        all.records += done;
        all.mended += mended;
        const where = cells.length > 1 ? `${name}: ` : '';
        if (!options.json)
          terminal.say(
            `${where}${counted(done, 'record')} compared, ${mended === 0 ? 'nothing to fix' : `${mended} fixed`}.`,
          );
      }
      if (options.json) terminal.print(JSON.stringify(all));
      return cells.every(({ db }) => db !== null) ? 0 : 1;
    });
  },
};

function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.round(share * barWidth);
  return `[${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}] ${Math.round(share * 100)} %  ${done}/${total}`;
}
