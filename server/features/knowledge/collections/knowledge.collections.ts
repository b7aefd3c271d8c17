/** Collections of documents. Every change takes the account's row of `knowledge_state` first, which keeps them a tree. */
import type {
  KnowledgeCollection,
  KnowledgeCollectionCreate,
  KnowledgeCollectionUpdate,
} from '../../../../contract/knowledge-collections.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { type Actor, audit, differences } from '../../accounts/accounts.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import {
  deleteCollection,
  insertCollection,
  selectCollections,
  updateCollection,
} from './knowledge.collections.sql.ts';
import { checkTextsByLanguage } from './texts-by-language.ts';

export { selectCollections as listCollections } from './knowledge.collections.sql.ts';

export async function findCollection(
  db: Reader,
  accountId: string,
  id: string,
): Promise<KnowledgeCollection | null> {
  return (await selectCollections(db, accountId)).find((one) => one.id === id) ?? null;
}

export async function requireCollection(
  db: Reader,
  accountId: string,
  id: string,
): Promise<KnowledgeCollection> {
  const collection = await findCollection(db, accountId, id);
  if (!collection) throw notFound('knowledge collection');
  return collection;
}

/** Without an order it is the last one beside the others. */
export async function createCollection(
  tx: Tx,
  actor: Actor,
  now: number,
  input: KnowledgeCollectionCreate,
): Promise<KnowledgeCollection> {
  const { accountId } = actor;
  await lockKnowledge(tx, accountId);
  const all = await selectCollections(tx, accountId);
  if (all.length >= limits.knowledgeCollections) {
    throw conflict(`an account can have at most ${limits.knowledgeCollections} knowledge collections`);
  }
  const { parent = null } = input;
  const last = Math.max(-1, ...all.filter((one) => one.parent === parent).map(({ order }) => order));
  const collection = {
    id: newId(now),
    name: checkName(input.name),
    names: checkNames(input.names ?? {}),
    order: input.order ?? Math.min(last + 1, limits.order.max),
    parent,
    createdAt: now,
    updatedAt: now,
  };
  checkParent(all, collection);
  await insertCollection(tx, accountId, collection);
  await audit(tx, actor, now, {
    action: 'knowledge_collection.created',
    target: { type: 'knowledge_collection', id: collection.id },
    changes: differences({}, partsOf(collection)),
  });
  return collection;
}

export async function changeCollection(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: KnowledgeCollectionUpdate,
): Promise<KnowledgeCollection> {
  const { accountId } = actor;
  await lockKnowledge(tx, accountId);
  const all = await selectCollections(tx, accountId);
  const before = all.find((one) => one.id === id);
  if (!before) throw notFound('knowledge collection');
  const after = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    names: change.names === undefined ? before.names : checkNames(change.names),
    order: change.order ?? before.order,
    parent: change.parent === undefined ? before.parent : change.parent,
    updatedAt: now,
  };
  checkParent(all, after);
  await updateCollection(tx, accountId, after);
  await audit(tx, actor, now, {
    action: 'knowledge_collection.updated',
    target: { type: 'knowledge_collection', id },
    changes: differences(partsOf(before), partsOf(after)),
  });
  return after;
}

/** What is in it moves to its parent. */
export async function removeCollection(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockKnowledge(tx, accountId);
  const collection = await requireCollection(tx, accountId, id);
  await deleteCollection(tx, accountId, collection);
  await audit(tx, actor, now, {
    action: 'knowledge_collection.deleted',
    target: { type: 'knowledge_collection', id },
    changes: { name: { from: collection.name, to: null } },
  });
}

function checkParent(all: readonly KnowledgeCollection[], { id, parent }: KnowledgeCollection): void {
  if (parent === null) return;
  let levels = 1 + levelsBelow(all, id);
  for (let above: string | null = parent; above !== null; levels++) {
    if (above === id) throw badRequest('parent must not be the collection itself or one in it');
    const found = all.find((one) => one.id === above);
    if (!found) throw badRequest('parent is not a collection of this account');
    above = found.parent;
  }
  if (levels > limits.knowledgeCollectionLevels) {
    throw badRequest(`collections can nest at most ${limits.knowledgeCollectionLevels} levels deep`);
  }
}

function levelsBelow(all: readonly KnowledgeCollection[], id: string): number {
  const inside = all.filter(({ parent }) => parent === id);
  return inside.length === 0 ? 0 : 1 + Math.max(...inside.map((one) => levelsBelow(all, one.id)));
}

function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest('name is required');
  return name;
}

const checkNames = (names: { [language: string]: string }) =>
  checkTextsByLanguage('names', names, limits.nameLength);

const partsOf = ({ name, names, order, parent }: KnowledgeCollection) => ({ name, names, order, parent });
