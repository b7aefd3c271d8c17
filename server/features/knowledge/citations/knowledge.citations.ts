/**
 * What replies are based on, and who may see it. A citation keeps its excerpt when the document changes or goes; of a document
 * that is internal, or was when it was deleted, for those who see internal documents.
 */
import type { Citation } from '../../../../contract/knowledge.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import {
  type CitedVersion,
  deleteCitationsOf,
  insertCitations,
  selectPublic,
} from './knowledge.citations.sql.ts';

/** As stored with a reply. */
export interface StoredCitation extends Citation {
  /** The document was internal, or is not public any more. Left out: it is public, or the agent's own knowledge. */
  isInternal?: boolean;
}

/** For people and tokens: internal documents only with `knowledge.view`. */
export function citationsShown(citations: readonly StoredCitation[], seesInternal: boolean): Citation[] {
  return citations.flatMap(({ isInternal = false, ...citation }) =>
    isInternal && !seesInternal ? [] : [citation],
  );
}

/** For visitors and message webhooks. */
export const publicCitations = (citations: readonly StoredCitation[]): Citation[] =>
  citationsShown(citations, false);

/** Documents may have become internal since they were cited. Asks only if something is cited. */
export async function withCurrentAudience<T extends { citations?: readonly StoredCitation[] }>(
  db: Reader,
  messages: readonly T[],
  accountOf: (message: T) => string,
): Promise<T[]> {
  const cited = messages.flatMap((message) =>
    (message.citations ?? []).flatMap(({ documentId, isInternal }) =>
      documentId === null || isInternal ? [] : [{ accountId: accountOf(message), documentId }],
    ),
  );
  if (cited.length === 0) return [...messages];
  const open = await selectPublic(db, cited);
  if (cited.every(({ documentId }) => open.has(documentId))) return [...messages];
  return messages.map((message) => ({
    ...message,
    ...(message.citations && {
      citations: message.citations.map((one) =>
        one.documentId === null || open.has(one.documentId) ? one : { ...one, isInternal: true },
      ),
    }),
  }));
}

/**
 * The versions that a reply cites are kept from now on. After the statement that compares the account's configuration:
 * whoever removes a source locks that first.
 */
export async function noteCitations(
  tx: Tx,
  accountId: string,
  replies: readonly { messageId: string; at: number; citations: readonly StoredCitation[] }[],
): Promise<void> {
  const cited = replies.flatMap(({ messageId, at, citations }) =>
    citations.flatMap(({ documentId, version }): CitedVersion[] =>
      documentId === null || version === null ? [] : [{ documentId, version, messageId, at }],
    ),
  );
  if (cited.length > 0) await insertCitations(tx, accountId, cited);
}

/** The text of the reply was removed. */
export const forgetCitations = (tx: Tx, accountId: string, messageId: string): Promise<void> =>
  deleteCitationsOf(tx, accountId, messageId);
