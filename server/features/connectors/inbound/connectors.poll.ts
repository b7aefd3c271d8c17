/**
 * Asks providers for messages. One process polls a channel; another takes over when that one dies (leases.ts), so idle
 * channels cost no statement. What a poll returned and its cursor are stored in one transaction, which fails if the channel
 * is another process's by then.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import { backoffMs } from '../../../platform/jobs/backoff.ts';
import { rowOfProcess, takeLease } from '../../../platform/jobs/due-work.ts';
import type { Lease } from '../../../platform/jobs/process-row.ts';
import { runWhenDue } from '../../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../../platform/logger.ts';
import { connectorTopic, type Links, type OpenLink } from '../connectors.links.ts';
import { type PollResult, ProviderError } from '../connectors.provider.ts';
import { insertPolled } from './connectors.inbound.sql.ts';
import {
  claimPolls,
  freePolls,
  type Polled,
  type PollSum,
  selectPolls,
  setPollError,
  sumPolls,
} from './connectors.poll.sql.ts';
import { wakeSplitters } from './connectors.wake.ts';

interface PollDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  links: Links;
}

const afterErrorMs = 1_000;
const claimedAtOnce = 100;
/** A provider that answers at once with nothing is not asked in a circle. */
const quietMs = 100;
/** A poll that failed as often in a row is shown to administrators; one may fail when the network is cut. */
const failuresShown = 3;

interface Running {
  version: number;
  abort: AbortController;
  ended: Promise<void>;
}

export interface Polling {
  /** A channel was connected: it is polled at once. */
  wake(): void;
  stop(): Promise<void>;
}

export function startPolling(deps: PollDeps): Polling {
  const { db, logger } = deps;
  const running = new Map<string, Running>();
  const process = rowOfProcess(db);

  const start = (row: Polled, { token, signal }: Lease) => {
    running.get(row.channelId)?.abort.abort();
    const abort = new AbortController();
    const one: Running = { version: row.version, abort, ended: Promise.resolve() };
    one.ended = pollChannel(deps, row, token, AbortSignal.any([abort.signal, signal]))
      .catch((error) => logger.warn({ err: error, channelId: row.channelId }, 'polling a channel stopped'))
      .finally(() => {
        if (running.get(row.channelId) === one) running.delete(row.channelId);
      });
    running.set(row.channelId, one);
  };
  // A change in this process; those of others are found below.
  db.onInvalidate(connectorTopic, (channelId) => running.get(channelId)?.abort.abort());

  const isAsRunning = ({ count, versions }: Pick<PollSum, 'count' | 'versions'>) =>
    count === running.size &&
    versions === [...running.values()].reduce((total, { version }) => total + version, 0);

  const loop = runWhenDue<PollSum>(db, {
    look: {
      name: 'polled channels',
      get value() {
        return sumPolls(process.id);
      },
      isRare: true,
    },
    isDue: (found) => found.isAnyUnpolled || !isAsRunning(found),
    async run() {
      const lease = await takeLease(db);
      await reconcile(deps, lease.token, running);
      for (const row of await claimPolls(db, lease.token, claimedAtOnce)) start(row, lease);
      return false;
    },
    onError: (error) => logger.warn({ err: error }, 'claiming channels to poll failed; retrying'),
    everyMs: 0,
    afterErrorMs,
    async settle() {
      const all = [...running.values()];
      for (const { abort } of all) abort.abort();
      await Promise.all(all.map(({ ended }) => ended));
      await freePolls(db, process.id, null).catch(() => {});
    },
  });
  return { wake: loop.wake, stop: loop.stop };
}

/** Stops polls that are no longer this process's, and frees what it should poll but does not. */
async function reconcile({ db }: PollDeps, poller: string, running: Map<string, Running>): Promise<void> {
  const mine = new Map((await selectPolls(db, poller)).map((row) => [row.channelId, row.version]));
  for (const [channelId, { version, abort }] of running) {
    if (mine.get(channelId) !== version) abort.abort();
  }
  const idle = [...mine.keys()].filter((channelId) => !running.has(channelId));
  if (idle.length > 0) await freePolls(db, poller, idle);
}

async function pollChannel(deps: PollDeps, row: Polled, poller: string, signal: AbortSignal): Promise<void> {
  const { db, clock, links } = deps;
  const { accountId, channelId, version } = row;
  const opened = await links.openChannel(channelId, { fresh: true });
  if (!opened?.provider.poll || opened.version !== version) return;
  let { cursor } = row;
  let failures = 0;
  let showsError = row.hasError;
  const showError = (reason: string | null) =>
    setPollError(db, accountId, { channelId, version, poller }, reason);
  const store = (next: string | null, bodies: readonly string[] = [], notice: string | null = null) => {
    const rows = { channelId, version, poller, cursor: next, bodies, notice, now: clock.now() };
    return db.transaction((tx) => insertPolled(tx, accountId, rows));
  };
  const keep = async (next: string) => {
    if (!(await store(next))) throw new NoLongerPolled();
    cursor = next;
  };
  while (!signal.aborted) {
    const began = performance.now();
    const polled = await askOnce(deps, opened, cursor, signal, keep);
    if (signal.aborted || polled === 'stop') return;
    if ('reason' in polled) {
      failures++;
      if (failures >= failuresShown) {
        await showError(polled.reason);
        showsError = true;
      }
      await sleep(polled.waitMs || backoffMs(failures), undefined, { signal }).catch(() => {});
      continue;
    }
    failures = 0;
    if (showsError) await showError(null);
    showsError = false;
    const { bodies, cursor: next, notice = null } = polled;
    if (bodies.length > 0 || next !== cursor) {
      const clean = bodies.map((body) => body.replaceAll('\0', '').toWellFormed());
      if (!(await store(next, clean, notice))) return;
      cursor = next;
      wakeSplitters(db);
    } else if (performance.now() - began < quietMs) {
      await sleep(quietMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** The channel is another process's, or has changed. */
class NoLongerPolled extends Error {}

interface Failure {
  /** A sentence for a person. */
  reason: string;
  /** Null or 0: the usual backoff. */
  waitMs: number | null;
}

async function askOnce(
  { links, logger }: PollDeps,
  { provider, link, redact }: OpenLink,
  cursor: string | null,
  signal: AbortSignal,
  keep: (cursor: string) => Promise<void>,
): Promise<PollResult | Failure | 'stop'> {
  try {
    return await provider.poll!(link, cursor, signal, keep);
  } catch (error) {
    if (signal.aborted || error instanceof NoLongerPolled) return 'stop';
    const reason = redact(error instanceof Error ? error.message : 'unknown');
    logger.warn({ channelId: link.channelId, reason }, 'a poll failed');
    if (!(error instanceof ProviderError)) {
      return { reason: 'Asking for new messages failed.', waitMs: null };
    }
    if (error.errorClass === 'credentials' || error.errorClass === 'unlinked') {
      await links.fail(link, error);
      return 'stop';
    }
    return { reason, waitMs: error.waitMs };
  }
}
