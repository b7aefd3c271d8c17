/** The inbox beyond its list: finding a conversation by text, and who took it over when. */
import type { AiPause, FoundSession, InboxSearchQuery } from '../../../contract/dashboard.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import { peopleTerms } from '../../../contract/shapes/people-search.ts';
import type { Reader } from '../../platform/db/db.ts';
import { textProblem } from '../../platform/http/json-body.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, may } from '../accounts/accounts.ts';
import { contactKey } from '../blocked-contacts/blocked-contacts.ts';
import type { Search } from '../search/search.ts';
import { requireSession, selectSessionsByKeys } from '../sessions/sessions.ts';
import {
  selectPauses,
  selectSessionIdsByText,
  selectSessionsByLastMessage,
  selectSessionsByRecords,
} from './dashboard-api.inbox.sql.ts';
import { selectNames } from './dashboard-api.sql.ts';
import { fixedNames, withExtras } from './dashboard-api.ts';

const found = { default: 10, max: 50 };
const longestQuery = 200;
const pausesShown = 100;

type Match = FoundSession['match'];

/**
 * Own names first, then by the card, which the search finds despite typos, then by the last message. GET
 * /messages/search finds older messages.
 */
export async function searchInbox(
  { db, search }: { db: Reader; search: Search },
  actor: Actor,
  visible: string[] | null,
  query: InboxSearchQuery,
): Promise<FoundSession[]> {
  const { accountId } = actor;
  const q = query.q.trim().slice(0, longestQuery).toLowerCase();
  const words = q.split(/\s+/).filter(Boolean);
  if (words.length === 0 || textProblem(q) !== null) return [];
  const limit = Math.min(query.limit ?? found.default, found.max);
  const mayReadRecords = may(actor, 'records.view');
  const [named, records, said] = await Promise.all([
    selectSessionIdsByText(db, accountId, visible, peopleTerms(q), contactKey(q), limit),
    mayReadRecords ? search.findBest(actor, q, found.max) : [],
    selectSessionsByLastMessage(db, accountId, visible, words, limit),
  ]);
  const recordIds = records.map((record) => record.id);
  const carded = await selectSessionsByRecords(db, accountId, recordIds, found.max);
  const matches = new Map<string, Match | null>(named.map((id) => [id, null]));
  for (const record of records) {
    for (const { id, title } of carded.filter(({ recordId }) => recordId === record.id)) {
      if (!matches.has(id)) matches.set(id, { field: 'record', value: title, typos: record.typos });
    }
  }
  for (const { id, text } of said) {
    if (!matches.has(id)) matches.set(id, { field: 'message', value: around(text, words[0]!), typos: 0 });
  }
  const keys = [...matches.keys()].map((id) => ({ accountId, id }));
  const sessions = (keys.length === 0 ? [] : await selectSessionsByKeys(db, keys)).filter(
    ({ kanbanId }) => visible === null || visible.includes(kanbanId),
  );
  const byId = new Map(sessions.map(({ accountId: _account, ...session }) => [session.sessionId, session]));
  const shown = [...matches.keys()].flatMap((id) => byId.get(id) ?? []).slice(0, limit);
  return (await withExtras(db, accountId, shown)).map((session) => ({
    ...session,
    match: matches.get(session.sessionId) ?? ownMatch(session, words),
  }));
}

/** Which of its own names has the most of the words. */
function ownMatch(session: Session, words: readonly string[]): Match {
  const names = [
    ['name', session.sessionName],
    ['customer', session.externalUserId],
    ['id', session.sessionId],
  ] as const;
  const count = (text: string | null) =>
    words.filter((word) => text?.toLowerCase().includes(word) === true).length;
  const best = names.reduce((a, b) => (count(b[1]) > count(a[1]) ? b : a));
  // Found by its identifier in another format: +49 170 … and 0049170….
  const [field, value] = count(best[1]) > 0 ? best : names[session.externalUserId === null ? 2 : 1];
  return { field, value: value ?? session.sessionId, typos: 0 };
}

/** The part of a text around a word, cut between words. */
function around(text: string, word: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const at = line.toLowerCase().indexOf(word);
  const from = at > 60 ? line.lastIndexOf(' ', at - 40) + 1 : 0;
  const part = line.slice(from, from + 160).replace(/[\uD800-\uDBFF]$/, '');
  return (from > 0 ? '…' : '') + part + (from + 160 < line.length ? '…' : '');
}

export async function listPauses(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  sessionId: string,
): Promise<AiPause[]> {
  const { accountId } = actor;
  await requireSession(db, actor, visible, sessionId);
  const pauses = await selectPauses(db, accountId, sessionId, pausesShown);
  const ids = [...new Set(pauses.map(({ by }) => by).filter(isId))];
  const names = await selectNames(db, accountId, ids);
  return pauses.map(({ by, ...pause }) => ({
    ...pause,
    by: { id: by, name: names.get(by) ?? fixedNames[by] ?? null },
  }));
}
