/** Changes of cards: shown at once, taken back with a message when rejected, undoable. */
import type { BatchResult, CrmRecord, RecordUpdate } from '../../../../contract/crm/records.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { keys } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { deleteLater, isDone, makeOnce, newChangeId, startChange } from '../../data/store/changes.ts';
import { newThingId } from '../../data/store/entities.ts';
import { sendTogether } from '../../data/store/send-together.ts';
import { noteOwnEdit } from '../../record/own-edits.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';

/** The change that undoes another one. */
function inverse(record: CrmRecord, change: RecordUpdate): RecordUpdate {
  return {
    ...(change.title !== undefined && { title: record.title }),
    ...(change.status !== undefined && { status: record.status }),
    ...(change.assignedUserIds !== undefined && { assignedUserIds: record.assignedUserIds }),
    ...(change.addLabelIds && {
      removeLabelIds: change.addLabelIds.filter((id) => !record.labelIds.includes(id)),
    }),
    ...(change.removeLabelIds && {
      addLabelIds: change.removeLabelIds.filter((id) => record.labelIds.includes(id)),
    }),
    ...(change.customFields && {
      customFields: Object.fromEntries(
        Object.keys(change.customFields).map((id) => [id, record.customFields[id] ?? null]),
      ),
    }),
  };
}

export interface ChangeOptions {
  /** Message with Undo after success. */
  done?: string;
  failed?: string;
}

export interface RecordChange {
  record: CrmRecord;
  change: RecordUpdate;
}

export const changeRecords = (
  records: readonly CrmRecord[],
  change: RecordUpdate,
  options?: ChangeOptions,
): Promise<boolean> =>
  changeEach(
    records.map((record) => ({ record, change })),
    options,
  );

/** Each is accepted or rejected on its own. False: some were rejected or left. */
export async function changeEach(
  changes: readonly RecordChange[],
  { done, failed = t('board.changeFailed') }: ChangeOptions = {},
): Promise<boolean> {
  if (changes.length === 0) return true;
  const send = changes.length > 1 ? sendTogether<BatchItem, CrmRecord>(limits.batchItems, sendBatch) : null;
  const running = changes.map(({ record: { recordId }, change }) => {
    noteOwnEdit(recordId, change);
    return startChange<CrmRecord>(
      {
        request: { method: 'PUT', path: `/crm/records/${recordId}`, body: change },
        edits: [{ kind: 'record', id: recordId, update: change }],
        failed,
      },
      send ? { send: () => send({ recordId, ...change }) } : {},
    );
  });
  const outcomes = await Promise.all(running.map(({ ended }) => ended));
  const refused = changes.filter((_, index) => outcomes[index]!.error);
  if (refused.length > 0) {
    toast.failed(
      changes.length > 1 ? tn('board.someFailed', refused.length) : failed,
      outcomes.find(({ error }) => error)!.error,
      () => void changeEach(refused, { done, failed }),
    );
  }
  const undone = changes.flatMap(({ record: was, change }, index) => {
    const { answer } = outcomes[index]!;
    return answer ? [{ record: answer, change: inverse(was, change) }] : [];
  });
  if (done && undone.length > 0) toast.undo(done, () => void changeEach(undone));
  return outcomes.every(isDone);
}

type BatchItem = RecordUpdate & { recordId: string };

async function sendBatch(
  items: readonly BatchItem[],
  person: string | null,
): Promise<(CrmRecord | ApiError)[]> {
  const { results } = await api<{ results: BatchResult[] }>('POST', '/crm/records/batch', {
    body: { items },
    person,
  });
  return results.map(
    ({ record, status, code = '', message = '' }) => record ?? new ApiError(status, code, message, ''),
  );
}

export function moveCards(
  cards: readonly Card[],
  status: { value: string; label: string },
): Promise<boolean> {
  const moved = cards.filter((card) => card.status !== status.value);
  const done =
    moved.length === 1
      ? t('board.moved', { title: shownTitle(moved[0]!.title), status: status.label })
      : tn('board.movedMany', moved.length);
  return changeRecords(moved, { status: status.value }, { done, failed: t('board.moveFailed') });
}

/** The card is shown before the service has created it. */
export async function createCard(
  kanbanId: string,
  status: string,
  title: string,
  userId: string,
  customFields: CrmRecord['customFields'] = {},
): Promise<void> {
  const now = Date.now();
  const id = newChangeId();
  const recordId = newThingId(id);
  const card: Card = {
    recordId,
    accountId: '',
    kanbanId,
    title,
    status,
    customFields,
    assignedUserIds: [],
    labelIds: [],
    channelId: null,
    createdBy: userId,
    updatedBy: userId,
    createdAt: now,
    updatedAt: now,
    clientId: id,
    conversation: null,
    tasks: { open: 0, nextDueAt: null },
  };
  const body = { title, status, customFields, clientId: id };
  await makeOnce({
    id,
    // Cards that are added one after the other stay in this order.
    order: `new in ${kanbanId}`,
    request: { method: 'POST', path: '/crm/records', query: { kanbanId }, body },
    edits: [{ kind: 'record', id: recordId, create: card }],
    failed: t('board.addFailed'),
  });
}

export function deleteRecords(records: readonly CrmRecord[]): void {
  deleteLater(
    records.map(({ recordId }) => ({
      path: `/crm/records/${recordId}`,
      edits: [{ kind: 'record', id: recordId, remove: true }],
      done: () => queryClient.removeQueries({ queryKey: keys.record(recordId) }),
    })),
    { said: tn('board.deleted', records.length), failed: t('board.deleteFailed') },
  );
}
