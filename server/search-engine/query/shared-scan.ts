// Scans dictionaries in slices, by the query's own thread and by helper threads. A free thread takes the next slice,
// so a helper that wakes late only leaves more work to the query's own thread.

import type { Term } from '../match/match.ts';
import type { Dictionary } from '../store/dictionary.ts';
import { foundId, foundRank, SLICE } from '../store/shared-texts.ts';
import type { Place } from '../threads/protocol.ts';
import { type ScanMode, scanSlice } from '../threads/slice.ts';
import type { Ranks } from './ranks.ts';
import type { Workspace } from './workspace.ts';
import type { Yielder } from './yielder.ts';

export type Scan = {
  dictionary: Dictionary;
  term: Term;
  mode: ScanMode;
  /** Excludes all other texts, one bit each. */
  among: Uint32Array | null;
  ranks: Ranks;
};

const nothing = (): void => undefined;

/** Ranks what all scans find. The own thread runs `meanwhile` while helpers may have started to scan. */
export async function scanAll(
  scans: Scan[],
  work: Workspace,
  pause: Yielder,
  meanwhile: () => void = nothing,
): Promise<void> {
  const large = scans.filter(({ dictionary }) => dictionary.isShared);
  const job = work.threads?.share(large) ?? null;
  try {
    meanwhile();
    for (const scan of scans) {
      if (job === null || !large.includes(scan)) await scanAlone(scan, work, pause);
    }
    if (job === null) return;
    for (let slice = job.take(); slice !== -1; slice = job.take()) {
      scanOne(large, job.placeOf(slice), work);
      job.finish(slice);
      const waiting = pause();
      if (waiting) await waiting;
    }
    const merge = (scan: number, found: Uint32Array, from: number, to: number): void =>
      improve(large[scan]!.ranks, found, from, to);
    for (const slice of await job.gather(merge)) scanOne(large, job.placeOf(slice), work);
  } finally {
    job?.end();
  }
}

async function scanAlone(scan: Scan, work: Workspace, pause: Yielder): Promise<void> {
  const scans = [scan];
  for (let from = 0; from < scan.dictionary.size; from += SLICE) {
    scanOne(scans, { scan: 0, from }, work);
    const waiting = pause();
    if (waiting) await waiting;
  }
}

function scanOne(scans: Scan[], { scan, from }: Place, { found }: Workspace): void {
  const { dictionary, term, mode, among, ranks } = scans[scan]!;
  const to = Math.min(from + SLICE, dictionary.size);
  improve(ranks, found, 0, scanSlice(dictionary.texts, term, mode, among, from, to, found, 0));
}

function improve(ranks: Ranks, found: Uint32Array, from: number, to: number): void {
  for (let at = from; at < to; at++) ranks.improve(foundId(found[at]!), foundRank(found[at]!));
}
