/**
 * Labels of an account. Conversations and cards hold the ids of theirs, so a deleted label has to be taken off them:
 * a job does it in batches. Changes take the lock on the account's configuration, so that every open dashboard reads
 * the labels again.
 */
import type { Label, LabelChange, LabelCreate, LabelUpdate, LabelUsage } from '../../../contract/labels.ts';
import { limits } from '../../../contract/limits.ts';
import { isUniqueViolation, type Reader, type Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { type Actor, audit, differences, lockAccountConfig, systemActor } from '../accounts/accounts.ts';
import { type DeletedLabel, deletedLabelJobKind, type Labelled, removalAttempts } from './labels.jobs.ts';
import { countLabels, deleteLabels, findLabel, insertLabel, lockLabels, updateLabel } from './labels.sql.ts';

export { deletedLabelHandler, deletedLabelJobKind, type Labelled } from './labels.jobs.ts';
export { selectLabels as listLabels } from './labels.sql.ts';

export async function requireLabel(db: Reader, accountId: string, id: string): Promise<Label> {
  const label = isId(id) ? await findLabel(db, accountId, id) : null;
  if (!label) throw notFound('label');
  return label;
}

export async function findUsage(
  db: Reader,
  accountId: string,
  id: string,
  labelled: { sessions: Labelled; records: Labelled },
): Promise<LabelUsage> {
  await requireLabel(db, accountId, id);
  const [sessions, records] = await Promise.all(
    [labelled.sessions, labelled.records].map((one) => one.count(db, accountId, id, limits.countedLabelled)),
  );
  return { sessions: sessions!, records: records! };
}

export async function createLabel(tx: Tx, actor: Actor, now: number, input: LabelCreate): Promise<Label> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  if ((await countLabels(tx, accountId)) >= limits.labels) {
    throw conflict(`an account can have at most ${limits.labels} labels`);
  }
  const label: Label = {
    id: newId(now),
    name: checkName(input.name),
    color: input.color ?? 'blue',
    description: input.description?.trim() ?? '',
    createdAt: now,
    updatedAt: now,
  };
  await insertLabel(tx, accountId, label).catch(nameIsTaken);
  await audit(tx, actor, now, {
    action: 'label.created',
    target: { type: 'label', id: label.id },
    changes: differences({}, partsOf(label)),
  });
  return label;
}

export async function changeLabel(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: LabelUpdate,
): Promise<Label> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const before = await requireLabel(tx, accountId, id);
  const after: Label = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    color: change.color ?? before.color,
    description: change.description?.trim() ?? before.description,
    updatedAt: now,
  };
  await updateLabel(tx, accountId, after).catch(nameIsTaken);
  await audit(tx, actor, now, {
    action: 'label.updated',
    target: { type: 'label', id },
    changes: differences(partsOf(before), partsOf(after)),
  });
  return after;
}

/** Only the label's own row is locked. Conversations and cards lose it in batches, by a job. */
export async function removeLabel(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { name } = await requireLabel(tx, accountId, id);
  await deleteLabels(tx, accountId, [id]);
  const payload: DeletedLabel = {
    labelId: id,
    deletedBy: { type: actor.kind, id: actor.id, name: actor.name },
  };
  await enqueue(tx, { accountId, kind: deletedLabelJobKind, payload, maxAttempts: removalAttempts });
  await audit(tx, actor, now, {
    action: 'label.deleted',
    target: { type: 'label', id },
    changes: { name: { from: name, to: null } },
  });
}

/** With the demo, without a trace. What others have labelled with them loses them by a job. */
export async function eraseLabels(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  labelled: readonly Labelled[],
): Promise<void> {
  await deleteLabels(tx, accountId, ids);
  const { kind: type, id, name } = systemActor(accountId);
  for (const labelId of ids) {
    const counts = await Promise.all(labelled.map((items) => items.count(tx, accountId, labelId, 1)));
    if (counts.every((count) => count === 0)) continue;
    const payload: DeletedLabel = { labelId, deletedBy: { type, id, name } };
    await enqueue(tx, { accountId, kind: deletedLabelJobKind, payload, maxAttempts: removalAttempts });
  }
}

/** Sorted. The stored list itself if nothing changes. A 400 for a label that is new there and does not exist. */
export async function mergeLabels(
  tx: Tx,
  accountId: string,
  stored: string[],
  change: LabelChange,
): Promise<string[]> {
  const added = labelsToAdd(change).filter((id) => !stored.includes(id));
  return changeLabels(stored, change, await findKnownLabels(tx, accountId, added));
}

/** Which of them exist. They cannot be deleted until the transaction ends. */
export async function findKnownLabels(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const possible = ids.filter(isId);
  return possible.length === 0 ? new Set() : lockLabels(tx, accountId, possible);
}

export function labelsToAdd({ labelIds, addLabelIds }: LabelChange): string[] {
  return labelIds ?? addLabelIds ?? [];
}

export function changeLabels(stored: string[], change: LabelChange, known: ReadonlySet<string>): string[] {
  const { labelIds, addLabelIds, removeLabelIds } = change;
  if (labelIds && (addLabelIds || removeLabelIds)) {
    throw badRequest('labelIds cannot be combined with addLabelIds or removeLabelIds');
  }
  const unknown = labelsToAdd(change).find((id) => !stored.includes(id) && !known.has(id));
  if (unknown !== undefined) {
    const field = labelIds ? 'labelIds' : 'addLabelIds';
    throw badRequest(`${field} has an unknown label: ${unknown.slice(0, 100)}`);
  }
  const kept = labelIds ?? stored.filter((id) => !removeLabelIds?.includes(id));
  const wanted = [...new Set([...kept, ...(addLabelIds ?? [])])].sort();
  if (wanted.length > limits.labelsPerItem) {
    throw badRequest(`labelIds must have at most ${limits.labelsPerItem} labels`);
  }
  return sameLabels(stored, wanted) ? stored : wanted;
}

export function sameLabels(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}

function checkName(text: string): string {
  const name = text.trim();
  if (!name) throw badRequest('name is required');
  return name;
}

function partsOf({ name, color, description }: Label) {
  return { name, color, description };
}

function nameIsTaken(error: unknown): never {
  if (isUniqueViolation(error, 'labels_name')) throw conflict('name is already in use');
  throw error;
}
