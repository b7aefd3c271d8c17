/**
 * The traffic of a channel. Each direction is a source of its own; their entries have ids that sort by time, so that they
 * merge by id.
 */
import type { ConnectorLogEntry } from '../../../contract/connectors.schemas.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import type { UpdateContext } from '../messages/messages.ts';
import { retryInbound, retryItem, selectInboundLog } from './connectors.log.sql.ts';
import { wakeLanes } from './inbound/connectors.split.ts';
import { wakeSplitters } from './inbound/connectors.wake.ts';
import { selectOutboundLog } from './outbound/connectors.outbound-log.sql.ts';
import { retryOutbound } from './outbound/connectors.outbound-log.ts';

export interface LogSource {
  /** Newest first, older than the id. */
  select(
    db: Reader,
    accountId: string,
    channelId: string,
    before: string | null,
    limit: number,
  ): Promise<ConnectorLogEntry[]>;
  /** False: the entry has not failed. Null: it is not one of this source. */
  retry(tx: Tx, context: UpdateContext, channelId: string, id: string): Promise<boolean | null>;
}

const inboundSource: LogSource = {
  select: selectInboundLog,
  async retry(tx, { accountId }, channelId, id) {
    const item = await retryItem(tx, accountId, channelId, id);
    if (item) await wakeLanes(tx, accountId, channelId, [item.customer]);
    if (item !== null) return item !== false;
    if (!(await retryInbound(tx, accountId, channelId, id))) return null;
    wakeSplitters(tx);
    return true;
  },
};

const outboundSource: LogSource = { select: selectOutboundLog, retry: retryOutbound };

const sources: readonly LogSource[] = [inboundSource, outboundSource];

export async function listLog(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  channelId: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<ConnectorLogEntry>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['connector-log', accountId, channelId];
  const before = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const lists = await Promise.all(
    sources.map((source) => source.select(db, accountId, channelId, before, size + 1)),
  );
  const newest = lists.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  return cutPage(newest.slice(0, size + 1), size, (last) => tokens.issue([last.id], scope));
}

export async function retryEntry(
  tx: Tx,
  actor: Actor,
  context: UpdateContext,
  channelId: string,
  entryId: string,
): Promise<void> {
  for (const source of isId(entryId) ? sources : []) {
    const retried = await source.retry(tx, context, channelId, entryId);
    if (retried === false) throw conflict('only what failed can be tried again');
    if (retried) {
      const target = { type: 'channel', id: channelId };
      return audit(tx, actor, context.now, { action: 'connector.retried', target, changes: { entryId } });
    }
  }
  throw notFound('entry');
}
