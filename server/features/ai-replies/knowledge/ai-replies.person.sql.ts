import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type Person, withoutPerson } from './ai-replies.neutral-text.ts';

/** Whom a conversation is with, as the conversation, its contact and its card say. */
async function findPerson(db: Reader, accountId: string, sessionId: string): Promise<Person> {
  const [row] = await db.query<{
    sessionName: string | null;
    externalUserId: string | null;
    name: string | null;
    title: string | null;
    addresses: string[];
  }>(sql`
    select s.session_name as "sessionName", s.external_user_id as "externalUserId", c.name, r.title,
      array(select i.value from contact_identifiers i
        where i.account_id = s.account_id and i.contact_id = s.contact_id and i.kind in ('phone', 'email')) as addresses
    from sessions s
    left join contacts c on c.account_id = s.account_id and c.id = s.contact_id
    left join records r on r.account_id = s.account_id and r.id = s.record_id
    where s.account_id = ${accountId} and s.session_id = ${sessionId}`);
  if (!row) return { names: [], phrases: [], addresses: [] };
  const { sessionName, externalUserId, name, title, addresses } = row;
  const given = (texts: (string | null)[]) => texts.filter((text) => text !== null);
  return {
    names: given([sessionName, name]),
    // A title of one word may be what the question is about.
    phrases: given([externalUserId, title?.trim().includes(' ') ? title : null]),
    addresses: [...addresses, ...given([externalUserId])],
  };
}

/** Without the person whom the conversation is with. */
export const neutralTexts = async (
  tx: Tx,
  accountId: string,
  sessionId: string,
  texts: { question: string; answer: string },
) => withoutPerson(await findPerson(tx, accountId, sessionId), texts);
