/**
 * Collects garbage once after the start. Starting compiles every module and leaves some 60 MB of garbage, which the
 * engine would keep until it needs the memory: for hours, on a quiet service. A full collection returns it to the
 * system (195 MB resident became 138). Node has no function for it; the engine's is reached through a flag.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
