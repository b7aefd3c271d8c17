/**
 * The work of an erasure: many transactions, each of which keeps the job's lease and counts what it removed. Every part
 * can be repeated, so a killed worker's successor begins again with the person that the erasure has saved.
 */
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import {
  type Job,
  type JobHandler,
  JobPostponed,
  JobReleased,
  LeaseLost,
} from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { audit, systemActor } from '../../accounts/accounts.ts';
import { removeErasedFiles } from '../../attachments/attachments.ts';
import {
  type BlockHash,
  eraseBlocks,
  type Identifier,
  identifierKey,
} from '../../blocked-contacts/blocked-contacts.ts';
import { lockContacts, noteContacts } from '../../contacts/contacts.ts';
import { draftsFrom, eraseGapsOf } from '../../knowledge/knowledge.ts';
import { noteErasure, type Search } from '../../search/search.ts';
import {
  type Batch,
  eraseConversation,
  eraseEventsOf,
  eraseRecordsOf,
  findRecordsOf,
} from './erasures.conversations.ts';
import { clearKeptRecords, findKept } from './erasures.kept-records.ts';
import {
  clearLiveLog,
  deleteContacts,
  selectConversations,
  selectIdentifiers,
  selectMergedContacts,
} from './erasures.person.sql.ts';
import {
  beginTracing,
  countRemoved,
  type ErasureRow,
  endErasure,
  findErasure,
  noteGone,
  type Person,
  savePerson,
} from './erasures.sql.ts';
import { eraseTraces } from './erasures.traces.ts';
import { erasureAttempts } from './erasures.ts';

export interface ErasureDeps {
  db: Db;
  blobs: BlobStore;
  clock: Clock;
  logger: Logger;
  secrets: Secrets;
  blockHash: BlockHash;
  search: Pick<Search, 'forget'>;
}

/** Connected dashboards and the indexes of other processes learn of the removal first. */
const traceAfterMs = 2_000;
/** What is gone once it is counted. Other parts may count the same again when they are repeated. */
const progress = ['messages', 'conversations', 'records', 'events'];

export function erasureHandler(deps: ErasureDeps): JobHandler {
  return async (job) => {
    const id = String(job.payload.erasureId);
    const found = await findErasure(deps.db, job.accountId, id);
    if (found?.state !== 'running') return;
    try {
      if (job.attempt > erasureAttempts) throw new Error('the worker died at every attempt');
      if (!found.isTracing) await erase(deps, job, id, found);
      else await finish(deps, job, id, found);
    } catch (error) {
      if (!isFinal(job, error)) throw error;
      deps.logger.error({ err: error, erasureId: id }, 'an erasure failed');
      await deps.db.transaction(async (tx) => {
        await endErasure(tx, job.accountId, id, 'failed', deps.clock.now());
        await job.complete(tx);
      });
    }
  };
}

function isFinal(job: Job, error: unknown): boolean {
  const isHandedOver =
    error instanceof LeaseLost || error instanceof JobReleased || error instanceof JobPostponed;
  return !isHandedOver && job.attempt >= erasureAttempts;
}

async function erase(deps: ErasureDeps, job: Job, id: string, found: ErasureRow): Promise<void> {
  const { db } = deps;
  const { accountId } = job;
  const requireRunning = () => {
    if (job.isStopping()) throw new JobReleased('the service is stopping');
  };
  const batch: Batch = async (part) => {
    requireRunning();
    return db.transaction(async (tx) => {
      await job.keep(tx, false);
      const removed = await part(tx);
      await countRemoved(tx, accountId, id, removed);
      if (progress.some((what) => (removed[what] ?? 0) > 0)) await job.keep(tx);
      return removed;
    });
  };
  const find = (earlier: Person | null) => collect(deps, job, id, found, earlier);
  let person = await find(found.person);
  for (;;) {
    const gone = { ...person.gone };
    for (const sessionId of person.sessionIds) {
      // What has its id now is another conversation.
      if (gone[sessionId] !== undefined) continue;
      await eraseConversation(batch, accountId, sessionId, async (tx, at) => {
        await noteGone(tx, accountId, id, sessionId, at);
        await eraseGapsOf(tx, accountId, sessionId, at);
        gone[sessionId] = at;
      });
    }
    person = { ...person, gone };
    await eraseRecordsOf(batch, accountId, person.recordIds);
    await eraseEventsOf(batch, accountId, person);
    await clearKeptRecords(deps, batch, accountId, person);
    let isAgain = false;
    await removeErasedFiles(deps, accountId, async () => {
      requireRunning();
      await db.transaction((tx) => job.keep(tx, isAgain));
      isAgain = true;
    });
    await eraseTraces(deps, batch, accountId, person);
    const isGone = await db.transaction(async (tx) => {
      await job.keep(tx, false);
      const isLast = await eraseContact(tx, deps, accountId, id, found, person);
      // What follows has all attempts again.
      if (isLast) await job.keep(tx);
      return isLast;
    });
    if (isGone) throw new JobPostponed(traceAfterMs);
    // The person has written meanwhile.
    person = await find(person);
  }
}

/** What there is of the person now, and what an earlier attempt has found. */
async function collect(
  { db }: ErasureDeps,
  job: Job,
  id: string,
  { contactId, keepsRecords }: ErasureRow,
  earlier: Person | null,
): Promise<Person> {
  const { accountId } = job;
  if (contactId === null) return earlier!;
  return db.transaction(async (tx) => {
    await job.keep(tx, false);
    const contactIds = await selectMergedContacts(tx, accountId, contactId);
    const identifiers = await selectIdentifiers(tx, accountId, contactIds);
    const conversations = await selectConversations(tx, accountId, contactIds, identifiers);
    const sessionIds = conversations.map((one) => one.sessionId);
    const recordIds = keepsRecords ? [] : await findRecordsOf(tx, accountId, sessionIds, identifiers);
    const customers = conversations.flatMap(({ customer }) => customer ?? []);
    const person: Person = {
      contactIds: union(contactIds, earlier?.contactIds),
      identifiers: [
        ...new Map(
          [...identifiers, ...(earlier?.identifiers ?? [])].map((one) => [keyOf(one), one]),
        ).values(),
      ],
      sessionIds: union(sessionIds, earlier?.sessionIds),
      customers: union([...customers, ...identifiers.map(({ value }) => value)], earlier?.customers),
      recordIds: union(recordIds, earlier?.recordIds),
      draftIds: union(await draftsFrom(tx, accountId, sessionIds), earlier?.draftIds),
      // A conversation of the person that has come back is removed again.
      gone: Object.fromEntries(
        Object.entries(earlier?.gone ?? {}).filter(([sessionId]) => !sessionIds.includes(sessionId)),
      ),
    };
    person.kept = await findKept(tx, accountId, person, sessionIds, earlier?.kept);
    await savePerson(tx, accountId, id, person);
    return person;
  });
}

const union = (some: readonly string[], others: readonly string[] = []) => [...new Set([...some, ...others])];
const keyOf = (one: Person['identifiers'][number]) => identifierKey(one as Identifier);

/** False: there is a new conversation. A block stays as a hash. */
async function eraseContact(
  tx: Tx,
  { blockHash, clock }: ErasureDeps,
  accountId: string,
  id: string,
  { contactId }: ErasureRow,
  person: Person,
): Promise<boolean> {
  const now = clock.now();
  if (contactId === null) {
    await beginTracing(tx, accountId, id);
    return true;
  }
  // Waits for messages in progress of the contact and of its identifiers.
  const values = person.identifiers.map(({ value }) => value);
  await lockContacts(tx, accountId, [...person.contactIds, ...values]);
  const current = await selectIdentifiers(tx, accountId, person.contactIds);
  const conversations = await selectConversations(tx, accountId, person.contactIds, current);
  const known = new Set(person.identifiers.map(keyOf));
  if (conversations.length > 0 || current.some((one) => !known.has(keyOf(one)))) return false;
  const blocks = await eraseBlocks(tx, accountId, person, blockHash, now);
  await deleteContacts(tx, accountId, person.contactIds, [...known]);
  await noteContacts(tx, accountId, person.contactIds);
  await countRemoved(tx, accountId, id, { contacts: person.contactIds.length });
  await audit(tx, systemActor(accountId), now, {
    action: 'contact.erased',
    target: { type: 'contact', id: contactId },
    changes: { erasureId: id, stillBlocked: blocks },
  });
  await beginTracing(tx, accountId, id);
  return true;
}

async function finish(deps: ErasureDeps, job: Job, id: string, { person }: ErasureRow): Promise<void> {
  const { db, clock, search } = deps;
  const { accountId } = job;
  await db.transaction(async (tx) => {
    // Last: an index that was built before this holds the words of what was removed.
    await noteErasure(tx, accountId);
    await clearLiveLog(tx, accountId, person?.sessionIds ?? []);
    await endErasure(tx, accountId, id, 'done', clock.now());
    await job.complete(tx);
  });
  await search.forget(accountId).catch(() => undefined); // the next sweep of the files does it
}
