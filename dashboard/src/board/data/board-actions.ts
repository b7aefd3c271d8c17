/** Changes of cards: applied optimistically, reverted with a message when rejected, undoable. */
import { randomId } from '../../../../browser/random-id.ts';
import type {
  BatchResult,
  CreatedRecord,
  CrmRecord,
  RecordUpdate,
} from '../../../../contract/crm/records.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError, OfflineError } from '../../data/errors.ts';
import { keys } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { noteOwnEdit } from '../../record/own-edits.ts';
import { addPending, settlePending } from '../../record/pending-changes.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { deleteLater } from '../../ui/overlays/delete-later.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { dropCard, findCard, placeCard } from './board-cache.ts';
import { inTurn } from './in-turn.ts';

/** Pending changes. Live updates of these records are older than what is shown. */
const pending = new Map<string, number>();
export const isPending = (recordId: string) => (pending.get(recordId) ?? 0) > 0;
export const begin = (id: string) => pending.set(id, (pending.get(id) ?? 0) + 1);
export const end = (id: string) => {
  const left = (pending.get(id) ?? 1) - 1;
  if (left > 0) pending.set(id, left);
  else pending.delete(id);
};

export const show = (record: CrmRecord) => {
  placeCard(record);
  const queryKey = keys.record(record.recordId);
  const state = queryClient.getQueryState<CrmRecord>(queryKey);
  // Until its first read arrives, the panel shows the card as it was when it opened.
  const isFirstRead = state?.data === undefined && state?.fetchStatus === 'fetching';
  if (isFirstRead) void queryClient.cancelQueries({ queryKey, exact: true });
  if (isFirstRead || state?.data) queryClient.setQueryData<CrmRecord>(queryKey, record);
};

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

function note({ record, change }: RecordChange): void {
  begin(record.recordId);
  show(addPending(record, change));
}

/** `answer` null: rejected. */
function settle({ record, change }: RecordChange, answer: CrmRecord | null): void {
  end(record.recordId);
  show(settlePending(record, change, answer));
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

/** Several records go through the batch endpoint, which accepts or rejects each one separately. */
export async function changeEach(
  changes: readonly RecordChange[],
  { done, failed = t('board.changeFailed') }: ChangeOptions = {},
): Promise<boolean> {
  if (changes.length === 0) return true;
  const before = new Map(changes.map((one) => [one.record.recordId, one]));
  for (const one of changes) {
    noteOwnEdit(one.record.recordId, one.change);
    note(one);
  }
  const retry = (again: readonly RecordChange[]) => () => void changeEach(again, { done, failed });
  try {
    const results = await send(changes);
    const refused = results.filter((result) => result.error !== null);
    for (const { record, recordId } of results) settle(before.get(recordId)!, record);
    if (refused.length > 0) {
      const again = refused.map(({ recordId }) => before.get(recordId)!);
      toast.failed(
        changes.length > 1 ? tn('board.someFailed', refused.length) : failed,
        refused[0]!.error,
        retry(again),
      );
    }
    const changed = results.flatMap(({ record }) => record ?? []);
    if (done && changed.length > 0) {
      toast.undo(done, () => {
        const undone = changed.map((record) => {
          const { record: was, change } = before.get(record.recordId)!;
          return { record, change: inverse(was, change) };
        });
        void changeEach(undone);
      });
    }
    return refused.length === 0;
  } catch (error) {
    for (const one of changes) settle(one, null);
    toast.failed(failed, error, retry(changes));
    return false;
  }
}

interface Sent {
  recordId: string;
  record: CrmRecord | null;
  error: unknown;
}

async function send(changes: readonly RecordChange[]): Promise<Sent[]> {
  if (changes.length === 1) {
    const { record, change } = changes[0]!;
    const { recordId } = record;
    const saved = await inTurn([recordId], () =>
      api<CrmRecord>('PUT', `/crm/records/${recordId}`, { body: change }),
    );
    return [{ recordId, record: saved, error: null }];
  }
  const sent: Sent[] = [];
  for (let i = 0; i < changes.length; i += limits.batchItems) {
    const part = changes.slice(i, i + limits.batchItems);
    const items = part.map(({ record: { recordId }, change }) => ({ recordId, ...change }));
    const ids = items.map(({ recordId }) => recordId);
    const { results } = await inTurn(ids, () =>
      api<{ results: BatchResult[] }>('POST', '/crm/records/batch', { body: { items } }),
    );
    for (const [index, { record = null, status, code, message }] of results.entries()) {
      const error = record ? null : new ApiError(status, code ?? '', message ?? '', '');
      sent.push({ recordId: part[index]!.record.recordId, record, error });
    }
  }
  return sent;
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

/** Cards that are being created, by their `clientId`, and what a live change already said about each. */
const creating = new Map<string, { heard: CrmRecord | null }>();

/** The response will show it. Shown now as well, the card would be there twice. */
export function isBeingCreated(record: CrmRecord): boolean {
  const one = creating.get(record.clientId ?? '');
  if (one) one.heard = record;
  return one !== undefined;
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
  const clientId = randomId();
  const temporary: Card = {
    recordId: `new-${clientId}`,
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
    clientId,
    conversation: null,
    tasks: { open: 0, nextDueAt: null },
  };
  placeCard(temporary);
  const attempt = async () => {
    const state = { heard: null as CrmRecord | null };
    creating.set(clientId, state);
    try {
      // Cards that are added one after the other stay in this order.
      const record = await inTurn([`new in ${kanbanId}`], () =>
        api<CreatedRecord>('POST', '/crm/records', {
          query: { kanbanId },
          body: { title, status, customFields, clientId },
          idempotencyKey: clientId,
        }),
      );
      dropCard(kanbanId, temporary.recordId);
      if (!findCard(kanbanId, record.recordId)) placeCard(record);
    } catch (error) {
      dropCard(kanbanId, temporary.recordId);
      if (state.heard) placeCard(state.heard);
      // It was created; only the response was lost.
      if (state.heard && error instanceof OfflineError) return;
      toast.failed(t('board.addFailed'), error, () => {
        placeCard(temporary);
        void attempt();
      });
    } finally {
      creating.delete(clientId);
    }
  };
  await attempt();
}

export function deleteRecords(records: readonly CrmRecord[]): void {
  const kept = new Map(
    records.map((record) => [record.recordId, findCard(record.kanbanId, record.recordId)]),
  );
  for (const record of records) {
    begin(record.recordId);
    dropCard(record.kanbanId, record.recordId);
  }
  const restore = (record: CrmRecord) => {
    end(record.recordId);
    placeCard(kept.get(record.recordId) ?? record);
  };
  deleteLater(
    records.map((record) => ({
      path: `/crm/records/${record.recordId}`,
      done: () => {
        end(record.recordId);
        queryClient.removeQueries({ queryKey: keys.record(record.recordId) });
      },
      restore: () => restore(record),
    })),
    { said: tn('board.deleted', records.length), failed: t('board.deleteFailed') },
  );
}
