/**
 * The sending worker: one loop for all channels of a process. It claims what is due, a few rows of each channel, so that
 * a slow channel slows no other.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createBudget } from '../../../platform/concurrency/budget.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { runLeased } from '../../../platform/jobs/leases.ts';
import { inSpan } from '../../../platform/telemetry/tracing.ts';
import { onOutbound } from '../../messages/messages.ts';
import { noteOutbound } from '../connectors.sql.ts';
import { claimOutbound, hasOutbound, outboundTable, releaseLease } from './connectors.claim.sql.ts';
import type { OutboundRow } from './connectors.outbound.sql.ts';
import { type SendDeps, sendRow } from './connectors.send.ts';

export type SenderDeps = Omit<SendDeps, 'sleep' | 'onSent' | 'memory'>;

const pollMs = 250;
const perChannel = 8;
const atOnce = 400;
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
  const noted = new Map<string, number>();
  const memory = createBudget(fileBytes);

  const onSent = ({ accountId, channelId }: OutboundRow) => {
    const now = clock.now();
    if (now - (noted.get(channelId) ?? 0) < noteEveryMs) return;
    noted.set(channelId, now);
    void noteOutbound(db, accountId, channelId, now).catch(() => {});
  };

  const run = async (row: OutboundRow, lost: AbortSignal): Promise<boolean> => {
    const { channelId } = row;
    const signal = AbortSignal.any([stopped.signal, lost]);
    const sleep = (ms: number) => delay<void>(ms, undefined, { signal });
    running.set(channelId, (running.get(channelId) ?? 0) + 1);
    try {
      await inSpan(spanOf(row), () => sendRow({ ...deps, memory, sleep, onSent }, row));
      return true;
    } catch (error) {
      const isNews = !signal.aborted && !isTemporary(error);
      if (isNews) logger.warn({ err: error, outbound: row.id }, 'sending failed; it is tried again');
      return releaseLease(db, row, signal.aborted ? 0 : tryAgainMs).then(
        () => true,
        () => false,
      );
    } finally {
      const left = running.get(channelId)! - 1;
      if (left > 0) running.set(channelId, left);
      else running.delete(channelId);
      loop.wake();
    }
  };

  const loop = runLeased<boolean, OutboundRow>(db, {
    table: outboundTable,
    atOnce,
    look: { name: 'outbound messages', value: hasOutbound },
    isDue: (isOpen) => isOpen,
    claim: (token) => claimOutbound(db, token, running, perChannel),
    work: (row, lease) => run(row, lease.signal),
    onError(error) {
      if (!isTemporary(error))
        logger.warn({ err: error }, 'claiming sends failed; retrying at the next look');
    },
    lookEveryMs: pollMs,
    // The next process asks the provider about a call that still runs.
    stopWithinMs,
  });
  const forget = onOutbound(db, loop.wake);

  return {
    async stop() {
      forget();
      stopped.abort();
      await loop.stop();
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
