/** Cards that stay after their person: what names the person is cleared, and events that have it go. */
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Reader } from '../../../platform/db/db.ts';
import { systemActor } from '../../accounts/accounts.ts';
import { selectRecordsWith } from '../../contacts/contacts.ts';
import { clearRecords } from '../../records/records.ts';
import type { Batch } from './erasures.conversations.ts';
import { anyWord, hasLeaf, matcherOf } from './erasures.matching.ts';
import {
  deleteEventsById,
  deleteFieldValue,
  deleteNotificationsById,
  selectEventBodies,
  selectEventsAbout,
  selectFieldValues,
  selectLinkedRecords,
  selectNotificationTexts,
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
      const told = await selectNotificationTexts(tx, accountId, ids);
      const naming = told.filter(({ text }) => words.isInText(text)).map(({ id }) => id);
      return {
        clearedRecords: count,
        notifications: await deleteNotificationsById(tx, accountId, naming),
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
  isOwnTitle(title: string): boolean;
  isOwnValue(value: unknown): boolean;
  isInEvent(body: string): boolean;
  isInText(text: string): boolean;
}

function wordsOf(person: Person, kept: KeptRecords): Words {
  const matcher = matcherOf(person);
  const form = (text: string) => text.trim().toLowerCase();
  const names = new Set([...kept.names, ...kept.values].map(form));
  const values = new Set(kept.values.map(form));
  const inText = anyWord([...names]);
  return {
    isOwnTitle: (title) => names.has(form(title)) || matcher.isIn(title),
    isOwnValue: (value) =>
      typeof value === 'string'
        ? values.has(form(value)) || matcher.isIn(value)
        : typeof value === 'number' && matcher.isIdentifier(String(value)),
    isInEvent(body) {
      const event = JSON.parse(body);
      return (
        matcher.isInBody(body) ||
        hasLeaf(event, (leaf) => values.has(form(leaf))) ||
        hasName(event, (text) => names.has(form(text)))
      );
    },
    isInText: (text) => inText?.test(text) === true || matcher.isIn(text),
  };
}

/** Where an event has titles and names of customers: a person may be called "Open", like a status. */
function hasName(value: unknown, isName: (text: string) => boolean): boolean {
  if (value === null || typeof value !== 'object') return false;
  const { fieldId } = value as { fieldId?: unknown };
  return Object.entries(value).some(([property, one]) => {
    if (typeof one !== 'string') return hasName(one, isName);
    const isTitle = fieldId === 'title' && /^(old|new)Value$/.test(property);
    return (isTitle || property === 'title' || property === 'customerName') && isName(one);
  });
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
