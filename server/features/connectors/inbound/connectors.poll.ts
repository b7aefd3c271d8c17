/**
 * Asks providers for messages. One process polls a channel; another takes over when that one dies. The processes say that
 * they are alive with one row each, so idle channels cost no statement. What a poll returned and its cursor are stored in
 * one transaction, which fails if the channel is another process's by then.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import { renewWithPulse } from '../../../platform/jobs/due-work.ts';
import { runWhenDue } from '../../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../../platform/logger.ts';
import { connectorTopic, type Links, type OpenLink } from '../connectors.links.ts';
import { type PollResult, ProviderError } from '../connectors.provider.ts';
import { backoffMs } from '../connectors.state.ts';
import { insertPolled } from './connectors.inbound.sql.ts';
import {
  claimPolls,
  deletePoller,
  freePolls,
  insertPoller,
  type Polled,
  type PollSum,
  renewPoller,
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
  let poller = newId();
  /** Its row exists, as far as this process knows. */
  let isKnown = false;

  const start = (row: Polled) => {
    running.get(row.channelId)?.abort.abort();
    const abort = new AbortController();
    const one: Running = { version: row.version, abort, ended: Promise.resolve() };
    one.ended = pollChannel(deps, row, poller, abort.signal)
      .catch((error) => logger.warn({ err: error, channelId: row.channelId }, 'polling a channel stopped'))
      .finally(() => {
        if (running.get(row.channelId) === one) running.delete(row.channelId);
      });
    running.set(row.channelId, one);
  };
  const stopAll = async () => {
    const all = [...running.values()];
    for (const { abort } of all) abort.abort();
    await Promise.all(all.map(({ ended }) => ended));
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
        return sumPolls(poller);
      },
      isRare: true,
    },
    isDue: (found) => !isKnown || found.isAnyUnpolled || !isAsRunning(found),
    async run() {
      if (!isKnown) {
        await stopAll();
        poller = newId();
        await insertPoller(db, poller);
        isKnown = true;
      }
      await reconcile(deps, poller, running);
      for (const row of await claimPolls(db, poller, claimedAtOnce)) start(row);
      return false;
    },
    onError: (error) => logger.warn({ err: error }, 'claiming channels to poll failed; retrying'),
    everyMs: 0,
    afterErrorMs,
  });
  const endRenewal = renewWithPulse<{ id: string }>(db, () => {
    const renewedId = isKnown ? poller : null;
    return {
      statement: renewPoller(poller),
      renewed(rows) {
        if (rows.length === 0 && poller === renewedId) isKnown = false;
      },
      // While its row is valid, no other process takes its channels.
      failed() {},
    };
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await endRenewal();
      await stopAll();
      await deletePoller(db, poller).catch(() => {});
    },
  };
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
