/** What logs and caches keep of a person. */

import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { eraseAnswers } from '../../../platform/http/idempotency.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { saveCleared, selectAuditBatch } from '../../accounts/accounts.ts';
import { type BlockHash, erasedItemHash } from '../../blocked-contacts/blocked-contacts.ts';
import { eraseImportsOf } from '../../imports/imports.ts';
import { withoutPerson } from './erasures.audit.ts';
import {
  type ConnectorCustomer,
  deleteConnectorCustomers,
  deleteConnectorItems,
  type ItemKey,
  saveErasedKeys,
  selectConnectorCustomers,
} from './erasures.connectors.sql.ts';
import type { Batch } from './erasures.conversations.ts';
import { type Matcher, matcherOf } from './erasures.matching.ts';
import {
  deleteBodies,
  deleteCounters,
  deleteJobs,
  deleteNotifications,
  type KeptBody,
  selectBodies,
} from './erasures.person.sql.ts';
import type { Person } from './erasures.sql.ts';

interface TraceDeps {
  db: Db;
  blobs: BlobStore;
  clock: Clock;
  secrets: Secrets;
  blockHash: BlockHash;
}

const atOnce = 1_000;
const customersAtOnce = 10_000;
/** A larger body is read alone. */
const bytesAtOnce = 8_000_000;
const bodiesAtOnce = 100;

export async function eraseTraces(
  deps: TraceDeps,
  batch: Batch,
  accountId: string,
  person: Person,
): Promise<void> {
  const matcher = matcherOf(person);
  const { sessionIds, recordIds } = person;
  await batch(async (tx) => {
    await deleteCounters(tx, accountId, sessionIds);
    return {
      notifications: await deleteNotifications(tx, accountId, person),
      jobs: await deleteJobs(tx, accountId, person),
      connectorRows: await keepHashes(
        deps,
        tx,
        accountId,
        await deleteConnectorItems(tx, accountId, sessionIds),
      ),
    };
  });
  await eraseCustomer(deps, batch, accountId, matcher);
  await eraseBodies(deps, batch, accountId, matcher);
  await clearAudit(deps, batch, accountId, matcher);
  // Not inside a transaction: files are read, which may take minutes.
  const imports = await eraseImportsOf(deps, accountId, recordIds, matcher.isIn);
  const storedAnswers = await eraseAnswers(deps.db, deps.secrets, accountId, matcher.isInBody);
  await batch(async () => ({ imports, storedAnswers }));
}

/** Returns how many items there were. */
async function keepHashes(
  { blockHash, clock }: TraceDeps,
  tx: Tx,
  accountId: string,
  items: readonly ItemKey[],
): Promise<number> {
  if (items.length === 0) return 0;
  const hashes = items.map(({ channelId, key }) => ({
    channelId,
    hash: erasedItemHash(blockHash, accountId, channelId, key),
  }));
  await saveErasedKeys(tx, accountId, hashes, clock.now());
  return items.length;
}

/** Also of a customer who has no conversation: of items that wait or were dropped. */
async function eraseCustomer(
  deps: TraceDeps,
  batch: Batch,
  accountId: string,
  matcher: Matcher,
): Promise<void> {
  for (let after: ConnectorCustomer | null = null; ; ) {
    const rows: ConnectorCustomer[] = await selectConnectorCustomers(
      deps.db,
      accountId,
      after,
      customersAtOnce,
    );
    const found = rows.filter(({ channelId: id, type, customer }) =>
      matcher.isCustomer({ id, type }, customer),
    );
    await batch(async (tx) => {
      const items = await deleteConnectorCustomers(tx, accountId, found);
      return { connectorRows: await keepHashes(deps, tx, accountId, items) };
    });
    if (rows.length < customersAtOnce) return;
    after = rows.at(-1)!;
  }
}

async function eraseBodies(
  { db }: TraceDeps,
  batch: Batch,
  accountId: string,
  matcher: Matcher,
): Promise<void> {
  for (const table of ['connector_inbound', 'webhook_inbox_requests'] as const) {
    const count = table === 'connector_inbound' ? 'providerBodies' : 'testWebhooks';
    for (let after: string | null = null; ; ) {
      const rows: KeptBody[] = await selectBodies(db, table, accountId, after, bodiesAtOnce, bytesAtOnce);
      if (rows.length === 0) break;
      const ids = rows.filter(({ body, channel }) => matcher.isInBody(body, channel)).map(({ id }) => id);
      await batch(async (tx) => {
        await deleteBodies(tx, table, accountId, ids);
        return { [count]: ids.length };
      });
      after = rows.at(-1)!.id;
    }
  }
}

/** Counts only entries that change, so that a second attempt adds nothing. */
async function clearAudit(
  { db }: TraceDeps,
  batch: Batch,
  accountId: string,
  matcher: Matcher,
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const rows = await selectAuditBatch(db, accountId, after, atOnce);
    const cleared = rows.flatMap((entry) => withoutPerson(entry, matcher) ?? []);
    await batch(async (tx) => {
      await saveCleared(tx, accountId, cleared);
      return { auditEntries: cleared.length };
    });
    if (rows.length < atOnce) return;
    after = rows.at(-1)!.id;
  }
}
