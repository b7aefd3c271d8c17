/** Contacts: the people behind conversations, known by their identifiers. */
export { addContactsOfAccount } from './contacts.backfill.ts';
export { joinContact } from './contacts.change.ts';
export { eraseUnusedContacts, selectContactsOfSessions } from './contacts.erase.sql.ts';
export { requireContact } from './contacts.read.ts';
export { lockContacts, noteContacts, selectRecordsWith } from './contacts.sql.ts';
export { contactParts, endPhoneNumbers } from './contacts.write.sql.ts';
export {
  type ContactChange,
  contactChange,
  customerOf,
  customerOfSession,
  type ToldCustomer,
} from './contacts.write.ts';
