/** Background work of connectors. */
import { expediteJobs, type JobsOptions, startJobs } from '../../platform/jobs/jobs.ts';
import type { LeasedTable } from '../../platform/jobs/leases.ts';
import type { Links } from './connectors.links.ts';
import { removalHandler, removalJobKind } from './connectors.removal.ts';
import { connectHandler, connectJobKind } from './connectors.state.ts';
import { pruneItems, splitJobKind } from './inbound/connectors.inbound.sql.ts';
import { pollTable } from './inbound/connectors.poll.sql.ts';
import { startPolling } from './inbound/connectors.poll.ts';
import { itemsAtOnce, itemsHandler, type ProcessDeps } from './inbound/connectors.process.ts';
import { itemsJobKind, splitHandler, startSplitter } from './inbound/connectors.split.ts';
import { outboundTable } from './outbound/connectors.claim.sql.ts';
import { pruneOutbound } from './outbound/connectors.outbound.sql.ts';
import { prunePace } from './outbound/connectors.pace.sql.ts';
import { createSentByUs } from './outbound/connectors.receipts.ts';
import { type SenderDeps, startSender } from './outbound/connectors.sender.ts';
import { keepTemplates, templatesHandler, templatesJobKind } from './templates/connectors.templates.ts';

interface ConnectorsDeps extends Omit<ProcessDeps, 'onConnected' | 'sentByUs'>, SenderDeps {
  links: Links;
}

/** Of jobs whose result can wait for a second. */
const rarePollMs = 1_000;
/** Longer than any provider delivers again. */
const keysForMs = 8 * 24 * 3_600_000;

export async function pruneConnectors({ db, clock }: Pick<ConnectorsDeps, 'db' | 'clock'>): Promise<void> {
  const before = clock.now() - keysForMs;
  await pruneItems(db, before);
  await pruneOutbound(db, before);
  await prunePace(db);
}

export function startConnectors(
  context: ConnectorsDeps,
  onFinished: JobsOptions['onFinished'],
): { kinds: string[]; leased: LeasedTable[]; stop(): Promise<void> } {
  const { db, logger } = context;
  const splitter = startSplitter(context);
  const polling = startPolling(context);
  /** What waited for the credentials, or for the channel. */
  const onConnected = async (accountId: string, channelId: string) => {
    polling.wake();
    await db.transaction(async (tx) => {
      await expediteJobs(tx, { accountId, kind: itemsJobKind, payload: { channelId } });
      await keepTemplates(tx, accountId, channelId);
    });
  };
  const deps = {
    ...context,
    onConnected,
    sentByUs: createSentByUs(context),
  };
  const sender = startSender(context);
  // Pools of their own: a provider that hangs must not keep replies waiting, nor connecting another channel.
  const items = startJobs({
    db,
    logger,
    handlers: { [itemsJobKind]: itemsHandler(deps) },
    concurrency: itemsAtOnce,
    onFinished,
  });
  const connects = startJobs({
    db,
    logger,
    handlers: {
      [connectJobKind]: connectHandler(deps),
      [removalJobKind]: removalHandler(context),
      [splitJobKind]: splitHandler(context),
    },
    concurrency: 16,
    pollMs: rarePollMs,
    onFinished,
  });
  const templates = startJobs({
    db,
    logger,
    handlers: { [templatesJobKind]: templatesHandler(deps) },
    concurrency: 4,
    pollMs: rarePollMs,
    onFinished,
  });
  return {
    kinds: [...items.kinds, ...connects.kinds, ...templates.kinds],
    leased: [outboundTable, pollTable],
    async stop() {
      await Promise.all([splitter, polling, sender, items, connects, templates].map((part) => part.stop()));
    },
  };
}
