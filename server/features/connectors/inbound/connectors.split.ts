/**
 * Splits what came in into items. One loop for all channels of a process: it looks at one index, whatever the number of
 * channels. Reading, inserting and removing a row are one transaction, so a crash repeats the whole of it.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../platform/db/clock.ts';
import { type Db, isRefusedValue, type Tx } from '../../../platform/db/db.ts';
import { cleanText, storable } from '../../../platform/db/storable.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { type JobHandler, retryByJob, wakeJobs } from '../../../platform/jobs/jobs.ts';
import { runWhenDue } from '../../../platform/jobs/run-when-due.ts';
import { writeSplit } from '../../../platform/jobs/split-batch.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type BlockHash, erasedItemHash } from '../../blocked-contacts/blocked-contacts.ts';
import type { Links } from '../connectors.links.ts';
import type { Inbound } from '../connectors.provider.ts';
import { type ConnectorRow, holdConnectors } from '../connectors.sql.ts';
import { boundPayload, boundText } from './connectors.bounds.ts';
import {
  deleteInbound,
  failInbound,
  findInbound,
  hasInbound,
  type InboundRow,
  insertItems,
  lockInbound,
  type NewItem,
  noteInbound,
  selectInbound,
  splitJobKind,
} from './connectors.inbound.sql.ts';
import { onInbound } from './connectors.wake.ts';

export const itemsJobKind = jobKind('connector-items');
const lookEveryMs = 250;
/** Between two beginnings: what comes meanwhile is split, stored and answered together, which takes a third less work. */
const collectMs = 25;
const maxRows = 50;
const maxAttempts = 8;
const maxBytes = 8 * 1024 * 1024;
const longestText = 200;

interface SplitDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  links: Links;
  blockHash: BlockHash;
}

export function startSplitter(deps: SplitDeps): { stop(): Promise<void> } {
  const { db, logger } = deps;
  const loop = runWhenDue<boolean>(db, {
    look: { name: 'inbound messages', value: hasInbound },
    isDue: (isFound) => isFound,
    async run() {
      const taken = await splitNext(deps);
      // More may fit in the next round.
      if (taken > 0) loop.wake();
      return taken === maxRows;
    },
    onError(error) {
      if (!isTemporary(error)) logger.warn({ err: error }, 'splitting inbound messages failed; retrying');
    },
    everyMs: collectMs,
    lookEveryMs,
    afterErrorMs: lookEveryMs,
  });
  const forget = onInbound(db, loop.wake);
  return {
    async stop() {
      forget();
      await loop.stop();
    },
  };
}

/** Rows that the database refuses together are split one by one: a bad delivery stops no other. */
async function splitNext(deps: SplitDeps): Promise<number> {
  const { db, logger } = deps;
  const rows = await selectInbound(db, maxRows, maxBytes);
  await writeSplit(
    rows,
    (some) => splitTogether(deps, some),
    async (row, error) => {
      if (isRefusedValue(error)) return fail(deps, row, error);
      const { accountId, channelId, id } = row;
      logger.warn({ err: error, channelId, inbound: id }, 'splitting a delivery failed; retrying');
      await retryByJob(db, { accountId, kind: splitJobKind, payload: { channelId, id }, dedupeKey: id });
    },
  );
  return rows.length;
}

/** Of a delivery that could not be split at its turn. */
export function splitHandler(deps: SplitDeps): JobHandler {
  return async ({ accountId, payload, attempt }) => {
    const { channelId, id } = payload as { channelId: string; id: string };
    const row = await findInbound(deps.db, accountId, channelId, id);
    if (!row) return;
    try {
      await splitTogether(deps, [row]);
    } catch (error) {
      if (!isRefusedValue(error) && (isTemporary(error) || attempt < maxAttempts)) throw error;
      await fail(deps, row, error);
    }
  };
}

async function fail({ db, clock, logger }: SplitDeps, row: InboundRow, error: unknown): Promise<void> {
  logger.error({ err: error, channelId: row.channelId, inbound: row.id }, 'a delivery cannot be stored');
  await db.transaction((tx) => failInbound(tx, row, 'it cannot be stored', clock.now()));
}

async function splitTogether(deps: SplitDeps, rows: readonly InboundRow[]): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const locked = await lockInbound(tx, rows);
    await splitRows(
      tx,
      deps,
      rows.filter(({ id }) => locked.has(id)),
    );
  });
}

async function splitRows(tx: Tx, deps: SplitDeps, rows: InboundRow[]): Promise<void> {
  if (rows.length === 0) return;
  const split: InboundRow[] = [];
  const items: (NewItem & { accountId: string })[] = [];
  const channels = [...Map.groupBy(rows, (row) => row.channelId).values()];
  const latest = channels.map((ofChannel) => ofChannel.at(-1)!);
  const connectors = await holdConnectors(tx, latest);
  for (const ofChannel of channels) {
    const { accountId, channelId } = ofChannel[0]!;
    const translated = await translateRows(tx, deps, connectors.get(channelId) ?? null, ofChannel);
    split.push(...translated.done);
    for (const item of translated.items) items.push({ ...item, accountId });
  }
  for (const [accountId, ofAccount] of byAccount(items)) await storeItems(tx, deps, accountId, ofAccount);
  await noteInbound(tx, latest);
  if (split.length > 0) await deleteInbound(tx, split);
}

/** In order, as everything that takes several locks. */
const byAccount = (items: readonly (NewItem & { accountId: string })[]) =>
  [...Map.groupBy(items, (item) => item.accountId)].sort(([a], [b]) => (a < b ? -1 : 1));

async function translateRows(
  tx: Tx,
  { links, clock, logger }: SplitDeps,
  connector: ConnectorRow | null,
  rows: InboundRow[],
): Promise<{ items: NewItem[]; done: InboundRow[] }> {
  const { channelId } = rows[0]!;
  if (!connector) return { items: [], done: rows };
  const opened = links.openRow(connector);
  const items = new Map<string, NewItem>();
  const done: InboundRow[] = [];
  for (const row of rows) {
    // Of a connector that was removed after it came in.
    if (row.kind !== null && row.kind !== connector.kind) {
      done.push(row);
      continue;
    }
    try {
      if (!opened) throw new Error('the kind of this connector is not available');
      const { provider, link } = opened;
      const translated = provider.translate(link, { text: row.body, receivedAt: row.receivedAt });
      for (const [index, item] of translated.entries()) {
        const made = toItem(item, row, index);
        if (!items.has(made.key)) items.set(made.key, made);
      }
      done.push(row);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'it cannot be read';
      logger.error({ channelId, inbound: row.id, reason }, 'a delivery of a provider cannot be read');
      await failInbound(tx, row, (opened?.redact(reason) ?? reason).slice(0, 1_000), clock.now());
    }
  }
  return { items: [...items.values()], done };
}

/** In the order of their keys: two processes that insert the same ones wait for each other in one direction. */
async function storeItems(
  tx: Tx,
  { blockHash }: SplitDeps,
  accountId: string,
  items: NewItem[],
): Promise<void> {
  const hashOf = ({ channelId, key }: NewItem) => erasedItemHash(blockHash, accountId, channelId, key);
  const placeOf = ({ channelId, key }: NewItem) => `${channelId}/${key}`;
  const sorted = items.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  await wakeCustomers(tx, accountId, await insertItems(tx, accountId, sorted, hashOf));
}

export async function wakeLanes(
  tx: Tx,
  accountId: string,
  channelId: string,
  customers: readonly string[],
): Promise<void> {
  await wakeCustomers(
    tx,
    accountId,
    customers.map((customer) => ({ channelId, customer })),
  );
}

async function wakeCustomers(
  tx: Tx,
  accountId: string,
  lanes: readonly { channelId: string; customer: string }[],
): Promise<void> {
  if (lanes.length === 0) return;
  const payloads = new Map(
    lanes.map(({ channelId, customer }) => [`${channelId}/${customer}`, { channelId, customer }] as const),
  );
  await wakeJobs(tx, { accountId, kind: itemsJobKind, payloads });
}

/** Ids in ascending order keep the order of arrival, also within a batch. */
function toItem(given: Inbound, row: InboundRow, index: number): NewItem {
  const item = withBoundedContent(withBoundedIds(given));
  const hasCustomer = 'customer' in item;
  return {
    channelId: row.channelId,
    key: bounded(keyOf(item, row, index)),
    id: newId(row.receivedAt),
    customer: hasCustomer ? bounded(item.customer.id) : '',
    type: item.type,
    place: item.type === 'message' ? (item.order ?? item.at) : null,
    mediaGroup: item.type === 'message' && item.group !== undefined ? bounded(item.group) : null,
    providerMsgId: messageIdOf(item),
    kind: row.kind,
    item: JSON.stringify(item, (_name, value: unknown) => storable(value)),
    summary: cleanText(summaryOf(item)).slice(0, longestText).toWellFormed(),
    receivedAt: row.receivedAt,
    traceparent: row.traceparent,
  };
}

/** What an item waits for if it is early. A watermark waits for any send to its customer. */
function messageIdOf(item: Inbound): string | null {
  if (item.type === 'watermark') return watermarkId(item.customer.id);
  return 'providerMsgId' in item ? item.providerMsgId : null;
}

export const watermarkId = (customerId: string) => bounded(`watermark:${customerId}`);

function keyOf(item: Inbound, row: InboundRow, index: number): string {
  if (item.type === 'state') return `state:${row.id}:${index}`;
  if (item.type === 'status') {
    const { providerMsgId, ourId, status, recipient } = item;
    return [`status:${providerMsgId}:${ourId ?? ''}:${status}`, recipient ?? []].flat().join(':');
  }
  return `${item.type}:${item.key}`;
}

/** The same everywhere, so that an edit or a quote finds the message that it is about. */
function withBoundedIds(item: Inbound): Inbound {
  if (!('providerMsgId' in item)) return item;
  const providerMsgId = bounded(item.providerMsgId);
  if (item.type !== 'message') return { ...item, providerMsgId };
  return { ...item, providerMsgId, quoted: item.quoted === null ? null : bounded(item.quoted) };
}

/** The text of a message gets lines about its files, and is shortened with them. */
function withBoundedContent(item: Inbound): Inbound {
  if (item.type === 'edited' || item.type === 'notice') return { ...item, text: boundText(item.text) };
  if (item.type !== 'message' || item.payload === undefined) return item;
  return { ...item, payload: boundPayload(item.payload) };
}

/** A key that is too long for an index is its hash. */
function bounded(given: string): string {
  const text = cleanText(given);
  if (text.length <= longestText) return text;
  return createHash('sha256').update(text).digest('base64url');
}

function summaryOf(item: Inbound): string {
  switch (item.type) {
    case 'message':
      return item.text || item.media.map(({ fileName, kind }) => fileName ?? kind).join(', ');
    case 'edited':
    case 'notice':
      return item.text;
    case 'reaction':
      return item.emoji ?? '';
    case 'status':
    case 'watermark':
      return item.status;
    case 'state':
      return item.state;
    case 'ignored':
      return item.summary;
    case 'reachable':
      return item.isReachable ? 'reachable' : 'not reachable';
    default:
      return item.type;
  }
}
