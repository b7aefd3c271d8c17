/**
 * The state of a connector. A job connects it and tries again while the provider cannot be reached. Wrong credentials end
 * the job: the state is `error` until an administrator replaces them or connects again.
 */
import type { ConnectorState } from '../../../contract/connectors.ts';
import type { Tx } from '../../platform/db/db.ts';
import { isId } from '../../platform/ids.ts';
import { backoffMs } from '../../platform/jobs/backoff.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue, type JobHandler, JobPostponed } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Links, OpenLink } from './connectors.links.ts';
import { type Connected, ProviderError } from './connectors.provider.ts';

export const connectJobKind = jobKind('connector-connect');

/** One for each version: a job that is still running works with the earlier settings. */
export function enqueueConnect(tx: Tx, accountId: string, channelId: string, version: number): Promise<void> {
  return enqueue(tx, {
    accountId,
    kind: connectJobKind,
    payload: { channelId, version },
    dedupeKey: `${channelId}/${version}`,
    maxAttempts: endlessAttempts,
  });
}

/** The provider told that the connection is over: it is asked. `detail` is what an administrator reads if it is true. */
export function enqueueAsk(
  tx: Tx,
  accountId: string,
  channelId: string,
  version: number,
  detail: string | null,
): Promise<void> {
  return enqueue(tx, {
    accountId,
    kind: connectJobKind,
    payload: { channelId, version, detail },
    // Of its own: a job that is connecting may have asked before.
    dedupeKey: `${channelId}/${version}/ask`,
    maxAttempts: endlessAttempts,
  });
}

interface ConnectDeps {
  links: Links;
  logger: Logger;
  /** What waited for the connection goes on. */
  onConnected(accountId: string, channelId: string): Promise<void>;
}

export function connectHandler({ links, logger, onConnected }: ConnectDeps): JobHandler {
  return async ({ accountId, payload, attempt }) => {
    const {
      channelId,
      version,
      detail = null,
    } = payload as { channelId: string; version: number; detail?: string | null };
    const opened = isId(channelId) ? await links.openChannel(channelId, { fresh: true }) : null;
    if (!opened || opened.version !== version || !opened.isEnabled) return;
    const { link, provider, redact } = opened;
    let connected: Connected;
    try {
      connected = await provider.connect(link);
    } catch (error) {
      const lastError = redact(error instanceof Error ? error.message : 'Connecting failed.');
      const state = stateAfter(opened, error);
      await links.setState(link, { state, lastError });
      if (state === 'error' || state === 'waiting_for_scan') return;
      logger.warn({ channelId, attempt, reason: lastError }, 'connecting a channel failed; retrying');
      throw new JobPostponed(waitOf(error) ?? backoffMs(attempt));
    }
    const { state, scan = null, cursor = null } = connected;
    const lastError = state === 'connected' ? null : detail;
    if (!(await links.setState(link, { state, lastError, scan, cursor }))) return;
    if (state === 'connected') await onConnected(accountId, channelId);
  };
}

const waitOf = (error: unknown) => (error instanceof ProviderError ? error.waitMs : null);

function stateAfter({ state }: OpenLink, error: unknown): ConnectorState {
  if (!(error instanceof ProviderError)) return state;
  if (error.errorClass === 'credentials' || error.errorClass === 'final' || error.errorClass === 'gone')
    return 'error';
  return error.errorClass === 'unlinked' ? 'waiting_for_scan' : 'connecting';
}
