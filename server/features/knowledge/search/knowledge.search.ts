/** Search over the passages of published documents, with one index for each account that is searched. */
import type { KnowledgeSearchAnswer, KnowledgeSearchBody } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Reader } from '../../../platform/db/db.ts';
import type { Stem } from '../../../search-engine/passages/passage-index.ts';
import { searchPassages } from '../../../search-engine/passages/passage-query.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { KnowledgeAccountIndex } from './knowledge.account-index.ts';
import { selectPassages } from './knowledge.search.sql.ts';
import { loadStem } from './knowledge.stemmers.ts';

export interface KnowledgeSearch {
  search(accountId: string, query: KnowledgeSearchBody): Promise<KnowledgeSearchAnswer>;
  /** The indexes in this process. */
  memory(): { indexes: number; bytes: number };
  /** The account has moved to another cell, or has come back. */
  drop(accountId: string): void;
  close(): Promise<void>;
}

interface KnowledgeSearchDeps {
  db: Reader;
  budgetBytes: number;
  onDrop(reason: 'budget' | 'idle' | 'moved'): void;
}

interface Held {
  accountIndex: KnowledgeAccountIndex;
  usedAt: number;
}

const idleMs = 10 * 60_000;
const lookEveryMs = 60_000;

export function createKnowledgeSearch({ db, budgetBytes, onDrop }: KnowledgeSearchDeps): KnowledgeSearch {
  /** In the order of their last use. */
  const held = new Map<string, Held>();
  let stem: Promise<Stem> | null = null;

  const indexOf = async (accountId: string): Promise<KnowledgeAccountIndex> => {
    stem ??= loadStem();
    const loaded = await stem;
    const accountIndex =
      held.get(accountId)?.accountIndex ?? new KnowledgeAccountIndex(db, accountId, loaded);
    held.delete(accountId);
    held.set(accountId, { accountIndex, usedAt: Date.now() });
    return accountIndex;
  };
  const bytes = () => [...held.values()].reduce((sum, { accountIndex }) => sum + accountIndex.byteLength, 0);
  const remove = (accountId: string, reason: 'budget' | 'idle' | 'moved') => {
    if (held.delete(accountId)) onDrop(reason);
  };
  /** One that is larger than the budget is held alone. */
  const keepBudget = () => {
    for (const [accountId, { accountIndex }] of held) {
      if (held.size === 1 || bytes() <= budgetBytes) return;
      if (!accountIndex.isBusy) remove(accountId, 'budget');
    }
  };
  const timer = setInterval(() => {
    for (const [accountId, { accountIndex, usedAt }] of held)
      if (Date.now() - usedAt > idleMs && !accountIndex.isBusy) remove(accountId, 'idle');
  }, lookEveryMs).unref();

  return {
    async search(accountId, { q, sourceIds, audience, language, limit }) {
      const count = pageSize(limit, limits.knowledgeSearch);
      const accountIndex = await indexOf(accountId);
      const found = await accountIndex.ask((index) =>
        searchPassages(index, q, { sourceIds, audience, language }, count, createYielder()),
      );
      keepBudget();
      const rows = found.length === 0 ? [] : await selectPassages(db, accountId, found);
      const byPlace = new Map(rows.map((row) => [`${row.documentId} ${row.number}`, row]));
      const passages = found.flatMap(({ documentId, version, number, score, matched }) => {
        const row = byPlace.get(`${documentId} ${number}`);
        // Written anew since the index was read.
        if (row?.version !== version) return [];
        const { number: _number, ...citation } = row;
        return [{ ...citation, score: Math.round(score * 10_000) / 10_000, matched }];
      });
      return { passages };
    },
    memory: () => ({ indexes: held.size, bytes: bytes() }),
    drop: (accountId) => remove(accountId, 'moved'),
    async close() {
      clearInterval(timer);
      held.clear();
    },
  };
}
