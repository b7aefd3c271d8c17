/**
 * The sending worker: one loop for all channels of a process. It claims what is due, a few rows of each channel, so that
 * a slow channel slows no other, and renews its leases while it works.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createBudget } from '../../../platform/concurrency/budget.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { watchWork } from '../../../platform/jobs/due-work.ts';
import { inSpan } from '../../../platform/telemetry/tracing.ts';
import { onOutbound } from '../../messages/messages.ts';
import { noteOutbound } from '../connectors.sql.ts';
import { claimOutbound, hasOutbound, releaseLease, renewLeases } from './connectors.claim.sql.ts';
import type { OutboundRow } from './connectors.outbound.sql.ts';
import { type SendDeps, sendRow } from './connectors.send.ts';

export type SenderDeps = Omit<SendDeps, 'sleep' | 'onSent' | 'memory'>;

const pollMs = 250;
const perChannel = 8;
const atOnce = 400;
const renewMs = 1_000;
const noteEveryMs = 1_000;
/** After an error that is not the provider's. */
const tryAgainMs = 1_000;
const stopWithinMs = 10_000;
/** Of files that are being sent. A call takes about three times as much: it encodes them. */
const fileBytes = 64 * 1024 * 1024;

export function startSender(deps: SenderDeps): { stop(): Promise<void> } {
  const { db, clock, logger } = deps;
  const stopped = new AbortController();
  const running = new Map<string, number>();
  const works = new Map<OutboundRow, Promise<void>>();
  const noted = new Map<string, number>();
  let claiming: Promise<void> | null = null;
  let again = false;

  const sendDeps: SendDeps = {
    ...deps,
    memory: createBudget(fileBytes),
    sleep: (ms) => delay(ms, undefined, { signal: stopped.signal }),
    onSent({ accountId, channelId }) {
      const now = clock.now();
      if (now - (noted.get(channelId) ?? 0) < noteEveryMs) return;
      noted.set(channelId, now);
      void noteOutbound(db, accountId, channelId, now).catch(() => {});
    },
  };

  const run = async (row: OutboundRow) => {
    const { channelId } = row;
    running.set(channelId, (running.get(channelId) ?? 0) + 1);
    try {
      await inSpan(spanOf(row), () => sendRow(sendDeps, row));
    } catch (error) {
      const isStopping = stopped.signal.aborted;
      const isNews = !isStopping && !isTemporary(error);
      if (isNews) logger.warn({ err: error, outbound: row.id }, 'sending failed; it is tried again');
      // Without the database its lease expires by itself.
      await releaseLease(db, row, isStopping ? 0 : tryAgainMs).catch(() => {});
    } finally {
      const left = running.get(channelId)! - 1;
      if (left > 0) running.set(channelId, left);
      else running.delete(channelId);
      tick();
    }
  };

  const claimAndRun = async () => {
    do {
      again = false;
      if (stopped.signal.aborted || works.size >= atOnce) return;
      // A token of its own for each claim: a row that was lost and claimed again is not the earlier work's any more.
      for (const row of await claimOutbound(db, randomUUID(), running, perChannel)) {
        works.set(
          row,
          run(row).finally(() => works.delete(row)),
        );
      }
    } while (again);
  };

  const tick = () => {
    if (stopped.signal.aborted) return;
    again = true;
    claiming ??= claimAndRun()
      .catch((error) => {
        if (!isTemporary(error))
          logger.warn({ err: error }, 'claiming sends failed; retrying at the next look');
      })
      .finally(() => {
        claiming = null;
      });
  };

  const forgetDue = watchWork<boolean>(db, {
    look: { name: 'outbound messages', value: hasOutbound },
    isDue: (isOpen) => isOpen && !claiming,
    wake: tick,
    everyMs: pollMs,
  });
  const renewal = setInterval(() => {
    if (works.size > 0) void renewLeases(db, [...works.keys()]).catch(() => {});
  }, renewMs);
  const forget = onOutbound(db, tick);
  tick();

  return {
    async stop() {
      forget();
      await forgetDue();
      stopped.abort();
      await claiming;
      await Promise.race([
        Promise.allSettled(works.values()),
        delay(stopWithinMs, undefined, { ref: false }),
      ]);
      // A call that still runs keeps its lease: the next process asks the provider about it.
      clearInterval(renewal);
    },
  };
}

const spanOf = ({ kind, id, accountId, channelId, attempts, traceparent }: OutboundRow) => ({
  name: `send ${kind}`,
  kind: 'consumer' as const,
  attributes: {
    'talkboard.outbound.id': id,
    'talkboard.outbound.attempt': attempts + 1,
    'talkboard.account.id': accountId,
    'talkboard.channel.id': channelId,
  },
  parent: traceparent,
});
