/** Finding contacts. Who may see one of the contact's conversations may see the contact. */
import {
  type Contact,
  type ContactDetails,
  type ContactsQuery,
  contactLimits,
} from '../../../contract/contacts.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { peopleTerms } from '../../../contract/shapes/people-search.ts';
import type { Reader } from '../../platform/db/db.ts';
import { notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import type { Actor } from '../accounts/accounts.ts';
import { selectMerges } from './contacts.merge.sql.ts';
import { findContact, selectContacts, selectMergeOffers } from './contacts.sql.ts';

/** How long a merge can be undone. */
export const undoForMs = contactLimits.undoDays * 86_400_000;

export async function listContacts(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  tokens: PageTokens,
  query: ContactsQuery,
): Promise<Page<Contact>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['contacts', actor.accountId, query.q];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const after = cursor && { createdAt: Number(cursor[0]), id: String(cursor[1]) };
  const terms = query.q === undefined ? [] : peopleTerms(query.q);
  const rows = await selectContacts(db, actor.accountId, visible, terms, after, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.createdAt, last.id], scope));
}

export async function requireContact(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  id: string,
): Promise<ContactDetails> {
  const contact = isId(id) ? await findContact(db, actor.accountId, visible, id) : null;
  if (!contact) throw notFound('contact');
  const { accountId } = actor;
  return {
    ...contact,
    merges: await selectMerges(db, accountId, id, undoForMs),
    mergeOffers: await selectMergeOffers(db, accountId, visible, id),
  };
}
