/** Cards that stay after their person: what names the person is cleared, and events that have it go. */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader } from '../../platform/db/db.ts';
import { systemActor } from '../accounts/accounts.ts';
import { selectRecordsWith } from '../contacts/contacts.ts';
import { clearRecords } from '../records/records.ts';
import type { Batch } from './erasures.conversations.ts';
import { hasLeaf, matcherOf } from './erasures.matching.ts';
import {
  deleteEventsById,
  deleteFieldValue,
  deleteNotificationsNaming,
  selectEventBodies,
  selectEventsAbout,
  selectFieldValues,
  selectLinkedRecords,
  selectOwnWords,
} from './erasures.person.sql.ts';
import type { KeptRecords, Person } from './erasures.sql.ts';

const recordsAtOnce = 100;
const eventsAtOnce = 5_000;
/** A body may have a whole record. */
const bodiesAtOnce = 100;
/** A record needs a title. */
const erased = 'erased';

/** Every card that may name the person; those that are removed are among them. */
export async function findRecordsNaming(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  identifiers: Person['identifiers'],
): Promise<string[]> {
  const linked = await selectLinkedRecords(db, accountId, sessionIds);
  return [...new Set([...linked, ...(await selectRecordsWith(db, accountId, identifiers))])];
}

/** Before the conversations are gone: their names and their links go with them. */
export async function findKept(
  db: Reader,
  accountId: string,
  person: Person,
  sessionIds: readonly string[],
  earlier: KeptRecords | undefined,
): Promise<KeptRecords> {
  const naming = await findRecordsNaming(db, accountId, sessionIds, person.identifiers);
  const words = await selectOwnWords(db, accountId, person.contactIds, sessionIds);
  const union = (some: string[], others: string[] = []) => [...new Set([...some, ...others])];
  return {
    recordIds: union(naming, earlier?.recordIds).filter((id) => !person.recordIds.includes(id)),
    names: union(words.names, earlier?.names),
    values: union(words.values, earlier?.values),
  };
}

/** Can be repeated. */
export async function clearKeptRecords(
  { db, clock }: { db: Db; clock: Clock },
  batch: Batch,
  accountId: string,
  person: Person,
): Promise<void> {
  const { kept } = person;
  if (!kept || kept.recordIds.length === 0) return;
  const words = wordsOf(person, kept);
  for (let at = 0; at < kept.recordIds.length; at += recordsAtOnce) {
    const ids = kept.recordIds.slice(at, at + recordsAtOnce);
    await batch(async (tx) => {
      const actor = systemActor(accountId);
      const count = await clearRecords(tx, actor, clock.now(), ids, (record) => clearedOf(record, words));
      for (const deleted of await selectFieldValues(tx, accountId, ids)) {
        if (words.isOwnValue(deleted.value)) await deleteFieldValue(tx, accountId, deleted);
      }
      const texts = [...kept.names, ...kept.values, ...words.addresses];
      return {
        clearedRecords: count,
        notifications: await deleteNotificationsNaming(tx, accountId, ids, texts),
      };
    });
  }
  for (let after: string | null = null; ; ) {
    const found = await selectEventsAbout(db, accountId, kept.recordIds, after, eventsAtOnce);
    for (let at = 0; at < found.ids.length; at += bodiesAtOnce) {
      const ids = found.ids.slice(at, at + bodiesAtOnce);
      await batch(async (tx) => {
        const rows = await selectEventBodies(tx, accountId, ids);
        const naming = rows.filter(({ body }) => words.isInEvent(body)).map(({ id }) => id);
        return { events: await deleteEventsById(tx, accountId, naming) };
      });
    }
    if (found.last === null) return;
    after = found.last;
  }
}

interface Words {
  addresses: string[];
  isOwnTitle(title: string): boolean;
  isOwnValue(value: unknown): boolean;
  isInEvent(body: string): boolean;
}

function wordsOf(person: Person, kept: KeptRecords): Words {
  const matcher = matcherOf(person);
  const form = (text: string) => text.trim().toLowerCase();
  const names = new Set([...kept.names, ...kept.values].map(form));
  const values = new Set(kept.values.map(form));
  return {
    addresses: person.identifiers
      .filter(({ kind }) => kind === 'phone' || kind === 'email')
      .map(({ value }) => value),
    isOwnTitle: (title) => names.has(form(title)) || matcher.isIn(title),
    isOwnValue: (value) => typeof value === 'string' && (values.has(form(value)) || matcher.isIn(value)),
    isInEvent: (body) => matcher.isInBody(body) || hasLeaf(JSON.parse(body), (leaf) => names.has(form(leaf))),
  };
}

/** Null: it says nothing of the person. */
function clearedOf(
  { title, customFields }: CrmRecord,
  { isOwnTitle, isOwnValue }: Words,
): Pick<CrmRecord, 'title' | 'customFields'> | null {
  const left = Object.entries(customFields).filter(([, value]) => !isOwnValue(value));
  const isNamed = isOwnTitle(title);
  if (!isNamed && left.length === Object.keys(customFields).length) return null;
  return { title: isNamed ? erased : title, customFields: Object.fromEntries(left) };
}
