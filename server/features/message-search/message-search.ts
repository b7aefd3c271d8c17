/** Search over messages and notes: by text with typos, customer, channel, author, kind and time. */
import { limits } from '../../../contract/limits.ts';
import type {
  FoundMessage,
  MessageSearchAnswer,
  MessageSearchQuery,
} from '../../../contract/messaging/message-search.ts';
import type { Reader } from '../../platform/db/db.ts';
import type { DropReason } from '../../platform/limits/held-by-account.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import { ownedCalls } from '../../platform/nodes/owned-calls.ts';
import { compileQuery, type Term } from '../../search-engine/match/match.ts';
import { excerptOf } from '../../search-engine/messages/excerpt.ts';
import { allowedInMessages } from '../../search-engine/store/text.ts';
import { type Actor, rightsOf } from '../accounts/accounts.ts';
import { contactKey } from '../blocked-contacts/blocked-contacts.ts';
import { MessageIndexCache } from './account-index/message-search.index-cache.ts';
import { authorOf, createSource, searchedText } from './account-index/message-search.source.ts';
import { type FoundRow, selectFound, selectSessionIdsOfContact } from './message-search.sql.ts';

export interface MessageSearch {
  /** `visible`: the boards that the actor may see; null: all. */
  search(actor: Actor, visible: string[] | null, query: MessageSearchQuery): Promise<MessageSearchAnswer>;
  /** The indexes in this process. */
  memory(): { indexes: number; bytes: number };
  /** The account has moved to another cell, or has come back. */
  drop(accountId: string): void;
  close(): Promise<void>;
}

export interface MessageSearchDeps {
  db: Reader;
  budgetBytes: number;
  onDrop?: (reason: DropReason) => void;
}

const idleMs = 10 * 60_000;

export function createMessageSearch({ db, ...memory }: MessageSearchDeps): MessageSearch {
  const indexCache = new MessageIndexCache(createSource(db), { ...memory, idleMs });

  return {
    async search({ accountId }, visible, query) {
      const page = query.page ?? 1;
      const pageSize = Math.min(query.pageSize ?? limits.searchPage.default, limits.searchPage.max);
      const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
      const q = query.q ?? '';
      const { channelId, kind, from, to } = query;
      const filter = {
        openKanbanIds: visible ?? undefined,
        channelId,
        sessionIds: await sessionIdsOf(db, accountId, query),
        isAuthor: query.author === undefined ? undefined : authorTest(query.author),
        isNote: kind === undefined ? undefined : kind === 'note',
        from,
        to,
      };
      const found = await indexCache.search(accountId, q, filter, offset, pageSize);
      const rows = await selectFound(
        db,
        accountId,
        found.items.map(({ id }) => id),
      );
      const terms = compileQuery(q, allowedInMessages);
      const items = found.items.flatMap(({ id, typos }) => {
        const row = rows.get(id);
        // Deleted or moved to another board since the index was read.
        if (!row || (visible !== null && !visible.includes(row.kanbanId))) return [];
        return [toFound(row, terms, typos)];
      });
      return {
        items,
        total: found.total,
        page,
        pageSize,
        totalPages: Math.ceil(found.total / pageSize),
        searchedFrom: found.floorId === null ? null : timeOfId(found.floorId),
      };
    },

    memory: () => ({ indexes: indexCache.size, bytes: indexCache.byteLength }),
    drop: (accountId) => indexCache.drop(accountId),
    close: () => indexCache.close(),
  };
}

/** The same search, run by the node that owns the account. */
export function messageSearchOnOwner(local: MessageSearch, nodes: Nodes, cell: string): MessageSearch {
  const names = ['search'] as const;
  const owned = ownedCalls({ nodes, topic: `messages ${cell}`, local, names, rightsOf });
  return {
    ...local,
    ...owned.methods,
    close() {
      owned.close();
      return local.close();
    },
  };
}

/** Both together: what both name. */
async function sessionIdsOf(
  db: Reader,
  accountId: string,
  { sessionId, contact }: MessageSearchQuery,
): Promise<string[] | undefined> {
  if (contact === undefined) return sessionId === undefined ? undefined : [sessionId];
  const ids = await selectSessionIdsOfContact(db, accountId, contactKey(contact));
  return sessionId === undefined ? ids : ids.filter((id) => id === sessionId);
}

const roleOfAuthor: { [author: string]: string } = { customer: 'user', ai: 'assistant', system: 'system' };

function authorTest(author: string): (stored: string) => boolean {
  if (author === 'operator') return (stored) => stored.startsWith('operator ');
  const wanted = roleOfAuthor[author] ?? authorOf('operator', author);
  return (stored) => stored === wanted;
}

function toFound(row: FoundRow, terms: readonly Term[], typos: number): FoundMessage {
  const { transcripts: _transcripts, agentId, agentName, operatorId, operatorName, ...shown } = row;
  const author: { [role in FoundRow['role']]: FoundMessage['author'] } = {
    user: { kind: 'customer', id: null, name: row.sessionName },
    assistant: { kind: 'ai', id: agentId, name: agentName },
    operator: { kind: 'operator', id: operatorId, name: operatorName },
    system: { kind: 'system', id: null, name: null },
  };
  return {
    ...shown,
    author: author[row.role],
    ...(terms.length > 0 && { match: { typos, ...excerptOf(searchedText(row), terms) } }),
  };
}

/** The time in a UUIDv7. */
const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
