/** The demo's articles, its help center, what replies cite of them, and which questions they did not answer. */
import type { Tx } from '../../../platform/db/db.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { changeHelpCenter, hasHelpCenter, removeHelpCenter } from '../../help-center/help-center.ts';
import {
  createCollection,
  createDocument,
  createSource,
  keepDocumentsOfOthers,
  noteCitations,
  noteUnanswered,
  passagesOf,
  removeCollection,
  removeSource,
  type StoredCitation,
} from '../../knowledge/knowledge.ts';
import {
  articles,
  collectionNames,
  collections,
  type DemoArticle,
  homeText,
  homeTexts,
} from './demo.articles.ts';
import { day } from './demo.calendar.ts';
import type { SettledConversation } from './demo.lifecycle.ts';
import type { DemoLanguage } from './demo.scripts.ts';
import type { DemoObjects } from './demo.sql.ts';

export interface DemoKnowledge {
  sourceId: string;
  /** What a reply that is based on this article cites: its first passage, in the customer's language if there is one. */
  citationOf(article: string, language: DemoLanguage): StoredCitation;
}

const name = 'Demo articles';
const languages: DemoLanguage[] = ['en', 'pt', 'es'];
const unansweredDays = 21;

export async function makeKnowledge(
  tx: Tx,
  actor: Actor,
  { at, now }: { at: number; now: number },
  secrets: Secrets,
): Promise<DemoKnowledge> {
  // Of now: the oldest source is that of the account, where new articles go.
  const { id: sourceId } = await createSource(tx, secrets, actor, now, { name, kind: 'articles' });
  const collectionIds = new Map<string, string>();
  for (const collection of collections) {
    const { id } = await createCollection(tx, actor, at, {
      name: collection,
      names: collectionNames[collection],
    });
    collectionIds.set(collection, id);
  }
  const citations = new Map<string, StoredCitation>();
  for (const article of articles) {
    const collectionId = article.collection && collectionIds.get(article.collection)!;
    for (const [key, citation] of await writeArticle(tx, actor, at, sourceId, collectionId, article)) {
      citations.set(key, citation);
    }
  }
  await openHelpCenter(tx, actor, at);
  return {
    sourceId,
    citationOf(article, language) {
      const found = citations.get(`${article} ${language}`) ?? citations.get(`${article} en`);
      if (!found) throw new Error(`the demo has no article ${article}`);
      return found;
    },
  };
}

async function writeArticle(
  tx: Tx,
  actor: Actor,
  at: number,
  sourceId: string,
  collectionId: string | null,
  { name: article, isInternal, isDraft, texts }: DemoArticle,
): Promise<[string, StoredCitation][]> {
  const citations: [string, StoredCitation][] = [];
  let translationOf: string | null = null;
  for (const { language, title, text } of texts) {
    const { id, version } = await createDocument(tx, actor, at, {
      sourceId,
      title,
      text,
      language,
      collectionId,
      translationOf,
      audience: isInternal ? 'internal' : 'public',
      state: isDraft ? 'draft' : 'published',
    });
    translationOf ??= id;
    const { heading, start, end, excerpt } = passagesOf(text)[0]!;
    const citation = { documentId: id, version, title, url: null, heading, start, end, excerpt };
    citations.push([`${article} ${language}`, { ...citation, ...(isInternal && { isInternal }) }]);
  }
  return citations;
}

/** An account that has set up its own one keeps it as it is. */
async function openHelpCenter(tx: Tx, actor: Actor, at: number): Promise<void> {
  if (await hasHelpCenter(tx, actor.accountId)) return;
  await changeHelpCenter(tx, actor, at, {
    enabled: true,
    slug: slugOf(actor.accountId),
    name: 'Harbour Roastery',
    color: '#0f766e',
    languages,
    homeText,
    homeTexts,
  });
}

const slugOf = (accountId: string): string => `demo-${accountId.slice(-12)}`;

/** The replies' citations count for the documents; what no article answers is a gap. */
export async function noteUseOfKnowledge(
  tx: Tx,
  accountId: string,
  conversations: readonly SettledConversation[],
  now: number,
): Promise<void> {
  await noteCitations(
    tx,
    accountId,
    conversations.flatMap(({ messages }) =>
      messages.map(({ id, at, citations }) => ({ messageId: id, at, citations })),
    ),
  );
  const unanswered = conversations.flatMap(({ session: { sessionId }, messages, replies }) => {
    const reply = replies.find(({ isMissing }) => isMissing);
    if (!reply || reply.at < now - unansweredDays * day) return [];
    const { id: messageId, content: question } = messages[0]!;
    return [{ messageId, sessionId, question, at: reply.at }];
  });
  await noteUnanswered(tx, accountId, unanswered);
}

/**
 * Articles that people have written into its source stay, among those of the account. A help center that people have given
 * another address stays too.
 */
export async function removeKnowledge(
  tx: Tx,
  actor: Actor,
  now: number,
  { sourceIds, collectionIds }: Pick<DemoObjects, 'sourceIds' | 'collectionIds'>,
): Promise<void> {
  for (const id of sourceIds) {
    await keepDocumentsOfOthers(tx, actor, id);
    await removeSource(tx, actor, now, id);
  }
  for (const id of collectionIds) await removeCollection(tx, actor, now, id);
  await removeHelpCenter(tx, actor.accountId, slugOf(actor.accountId));
}
