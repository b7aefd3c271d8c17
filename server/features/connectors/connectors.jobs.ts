/** Background work of connectors. */
import { expediteJobs, type JobsOptions, startJobs } from '../../platform/jobs/jobs.ts';
import type { Links } from './connectors.links.ts';
import { connectHandler, connectJobKind } from './connectors.state.ts';
import { pruneItems } from './inbound/connectors.inbound.sql.ts';
import { startPolling } from './inbound/connectors.poll.ts';
import { itemsAtOnce, itemsHandler, type ProcessDeps } from './inbound/connectors.process.ts';
import { itemsJobKind, startSplitter } from './inbound/connectors.split.ts';

export { nothingSent } from './inbound/connectors.outgoing.ts';

interface ConnectorsDeps extends Omit<ProcessDeps, 'onConnected'> {
  links: Links;
}

/** Longer than any provider delivers again. */
const keysForMs = 8 * 24 * 3_600_000;

export const pruneConnectors = ({ db, clock }: Pick<ConnectorsDeps, 'db' | 'clock'>) =>
  pruneItems(db, clock.now() - keysForMs);

export function startConnectors(
  context: ConnectorsDeps,
  onFinished: JobsOptions['onFinished'],
): { stop(): Promise<void> } {
  const { db, logger } = context;
  /** What waited for the credentials, or for the channel. */
  const onConnected = (accountId: string, channelId: string) =>
    db.transaction((tx) => expediteJobs(tx, { accountId, kind: itemsJobKind, payload: { channelId } }));
  const deps = { ...context, onConnected };
  const splitter = startSplitter(deps);
  const polling = startPolling(deps);
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
    handlers: { [connectJobKind]: connectHandler(deps) },
    concurrency: 16,
    onFinished,
  });
  return {
    async stop() {
      await Promise.all([splitter, polling, items, connects].map((part) => part.stop()));
    },
  };
}
