/** What an administrator does with a connector: check it, connect it, disconnect it, link a phone. */
import type { ConnectorCheck, ConnectorScan } from '../../../contract/connectors.schemas.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { conflict, connectionRefused, notFound } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import { connectorTopic, type Links, type OpenLink } from './connectors.links.ts';
import { ProviderError } from './connectors.provider.ts';
import { type ConnectorRow, findConnector, restartConnector } from './connectors.sql.ts';
import { enqueueConnect } from './connectors.state.ts';

export async function requireConnector(
  db: Reader,
  accountId: string,
  channelId: string,
): Promise<ConnectorRow> {
  const row = isId(channelId) ? await findConnector(db, accountId, channelId) : null;
  if (!row) throw notFound('connector');
  return row;
}

/** A provider that says no, or cannot be reached, is an answer too. */
export async function checkConnection({ provider, link, redact }: OpenLink): Promise<ConnectorCheck> {
  try {
    const { detail } = await provider.check(link);
    return { ok: true, detail: redact(detail) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ok: false, detail: redact(error.message) };
  }
}

/** A phone that is not linked yet is no refusal: connecting links it. */
export async function requireConnection({ provider, link, redact }: OpenLink): Promise<void> {
  try {
    await provider.check(link);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.errorClass !== 'unlinked') throw connectionRefused(redact(error.message));
  }
}

export async function startConnecting(tx: Tx, actor: Actor, now: number, channelId: string): Promise<void> {
  const { accountId } = actor;
  const row = await requireConnector(tx, accountId, channelId);
  if (!row.enabled) throw conflict('the channel is disabled: enable it to connect it');
  await connectAgain(tx, accountId, channelId, now);
  await audit(tx, actor, now, { action: 'connector.connected', target: { type: 'channel', id: channelId } });
}

async function connectAgain(tx: Tx, accountId: string, channelId: string, now: number): Promise<void> {
  const version = await restartConnector(tx, accountId, channelId, 'connecting', now);
  tx.invalidate(connectorTopic, channelId);
  if (version !== null) await enqueueConnect(tx, accountId, channelId, version);
}

export async function stopConnector(tx: Tx, actor: Actor, now: number, channelId: string): Promise<void> {
  const { accountId } = actor;
  await requireConnector(tx, accountId, channelId);
  await restartConnector(tx, accountId, channelId, 'disconnected', now);
  tx.invalidate(connectorTopic, channelId);
  await audit(tx, actor, now, {
    action: 'connector.disconnected',
    target: { type: 'channel', id: channelId },
  });
}

interface ScanDeps {
  db: Db;
  clock: Clock;
  links: Links;
}

/** The code that is shown now: the provider is asked, and the last one that it sent is the answer if it has none. */
export async function readScan(deps: ScanDeps, row: ConnectorRow): Promise<ConnectorScan> {
  const { db, clock, links } = deps;
  const opened = links.openRow(row);
  if (!opened?.provider.scan) throw conflict('this kind of connector has no code to scan');
  const { state, scan: kept } = row;
  const none = { qr: kept?.qr ?? null, pairingCode: kept?.pairingCode ?? null };
  if (state !== 'waiting_for_scan') return { state, qr: null, pairingCode: null };
  try {
    const { qr, pairingCode, isLinked } = await opened.provider.scan(opened.link);
    if (isLinked) {
      // The provider's own message about it may be lost.
      await db.transaction((tx) => connectAgain(tx, row.accountId, row.channelId, clock.now()));
      return { state: 'connecting', qr: null, pairingCode: null };
    }
    return { state, qr: qr ?? none.qr, pairingCode: pairingCode ?? none.pairingCode };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    await links.fail(opened.link, error);
    return { state, ...none };
  }
}
