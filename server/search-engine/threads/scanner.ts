// A helper thread for scans, started by threads.ts. It reads the shared index and writes findings to its own memory,
// so that late results are never mistaken for part of a later job.

import { parentPort, workerData } from 'node:worker_threads';
import { compileTerm } from '../match/match.ts';
import { SLICE, type Texts } from '../store/shared-texts.ts';
import { jobOf, placeOfSlice, type ScanRequest, sliceOf, type WorkerInit } from './protocol.ts';
import { scanSlice } from './slice.ts';

const { claims, log } = workerData as WorkerInit;
const known = new Map<number, Texts>();
let found: Uint32Array = new Uint32Array(0);

parentPort?.on('message', (order: ScanRequest) => {
  if (order.forgetsOthers) known.clear();
  for (const [key, texts] of order.texts) known.set(key, texts);
  if (order.found !== null) found = order.found;
  // Requests have queued up while this thread was loading; their query is over.
  if (jobOf(Atomics.load(claims, 0)) !== order.job) return;
  const scans = order.scans.map((scan) => ({ ...scan, term: compileTerm(scan.term, () => scan.typos) }));
  Atomics.store(log, 0, order.job << 16);
  let end = 0;
  for (let finished = 1; ; finished++) {
    const slice = claim(order);
    if (slice === -1) return;
    const place = placeOfSlice(scans, slice);
    const { texts, term, mode, among, size } = scans[place.scan]!;
    const to = Math.min(place.from + SLICE, size);
    end = scanSlice(known.get(texts)!, term, mode, among, place.from, to, found, end);
    log[finished * 2 - 1] = slice;
    log[finished * 2] = end;
    // Publishes the slice: a thread that reads the new number also sees everything written before it.
    Atomics.store(log, 0, (order.job << 16) | finished);
  }
});

/** The next slice of the job, or -1 if none is left or the job has ended. */
function claim({ job, slices }: ScanRequest): number {
  for (;;) {
    const seen = Atomics.load(claims, 0);
    if (jobOf(seen) !== job || sliceOf(seen) >= slices) return -1;
    if (Atomics.compareExchange(claims, 0, seen, seen + 1) === seen) return sliceOf(seen);
  }
}
