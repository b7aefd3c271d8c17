import { beginRepair, type Difference } from '../../server/platform/cells/repair.ts';
import { type Command, CommandError, counted, readOptions } from '../command.ts';
import { withInstance } from '../instance.ts';

/** Moves wait meanwhile. */
const fixedTogether = 200;

export const cellsRepair: Command = {
  usage: '[--apply] [--json]',
  help: `Options:
  --apply  correct the directory
  --json   for scripts: { "differences": [{ "kind", "message", "isFixable" }], "fixed" }

Compares the directory in the home cell with the accounts, e-mail addresses and channels of every cell, for a home cell
that was restored from an older backup. The cells are taken as right; only the directory is changed. Without --apply nothing
is changed, and the exit code is 1 if there are differences. The service may keep running, and accounts may be moved:
one that moves meanwhile is named and left alone.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      apply: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    return withInstance(terminal, async ({ cells }) => {
      if (cells.length === 1) throw new CommandError('CELLS is not set: there is no directory to repair');
      const reachable = cells.flatMap(({ name, db }) => (db ? [{ name, db }] : []));
      const isWhole = reachable.length === cells.length;
      const found: { kind: string; message: string; isFixable: boolean }[] = [];
      let fixed = 0;
      const repair = await beginRepair(reachable, isWhole);
      let waiting: Difference[] = [];
      const fix = async () => {
        const together = waiting;
        waiting = [];
        fixed += await repair.correct(together);
      };
      for await (const difference of repair.differences()) {
        const { kind, message } = difference;
        found.push({ kind, message, isFixable: difference.fix !== null });
        if (!options.json) terminal.print(message);
        if (options.apply && difference.fix) waiting.push(difference);
        if (waiting.length >= fixedTogether) await fix();
      }
      if (waiting.length > 0) await fix();
      if (options.json) terminal.print(JSON.stringify({ differences: found, fixed }, null, 2));
      if (!isWhole)
        terminal.say('Cells that are not reachable were not compared: run this again when they are.');
      const left = found.length - fixed;
      if (found.length === 0) terminal.say('The directory agrees with the cells.');
      else if (options.apply) {
        terminal.say(`${counted(fixed, 'difference')} corrected${left > 0 ? `, ${left} left to you` : ''}.`);
      } else terminal.say(`${counted(found.length, 'difference')}. Run this with --apply to correct them.`);
      return left > 0 || !isWhole ? 1 : 0;
    });
  },
};
