/** Many creates and updates in one request, each validated on its own. */
import { BatchCreateItem, type BatchResult, BatchUpdateItem } from '../../../contract/crm/records.ts';
import type { Tx } from '../../platform/db/db.ts';
import { phraseOf } from '../../platform/http/error-handler.ts';
import { AppError } from '../../platform/http/errors.ts';
import { checkObject } from '../../platform/http/validation.ts';
import { isId } from '../../platform/ids.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { lockDuplicates, lockRecords } from './records.sql.ts';
import { changeRecord, createRecord } from './records.ts';

/**
 * One transaction with a savepoint per item: a rejected item leaves nothing behind, and a crash leaves none of them.
 */
export async function runBatch(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  items: unknown[],
  defaultKanbanId: string | undefined,
): Promise<BatchResult[]> {
  await lockWhatItemsName(tx, actor.accountId, items, defaultKanbanId ?? definitions.defaultKanban.id);
  const results: BatchResult[] = [];
  for (const item of items) {
    try {
      results.push(await tx.savepoint(() => runItem(tx, actor, now, definitions, item, defaultKanbanId)));
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const { status, code, message } = error;
      results.push({ status, error: phraseOf(status), message, code });
    }
  }
  return results;
}

async function runItem(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  item: unknown,
  defaultKanbanId: string | undefined,
): Promise<BatchResult> {
  if (isObject(item) && 'recordId' in item) {
    const { recordId, ...change } = checkObject(BatchUpdateItem, item);
    return { status: 200, record: await changeRecord(tx, actor, now, definitions, recordId, change) };
  }
  const input = checkObject(BatchCreateItem, item);
  const kanbanId = input.kanbanId ?? defaultKanbanId;
  const record = await createRecord(tx, actor, now, definitions, { ...input, kanbanId });
  return { status: record.alreadyExists ? 200 : 201, record };
}

/**
 * Items take their locks one after the other and keep them to the end: two batches with the same records in different
 * orders would deadlock. So all locks are taken before the first item, in one order.
 */
async function lockWhatItemsName(
  tx: Tx,
  accountId: string,
  items: unknown[],
  defaultKanbanId: string,
): Promise<void> {
  const objects = items.filter(isObject);
  const keys = objects.flatMap(({ kanbanId = defaultKanbanId, channelId, title }) =>
    typeof kanbanId === 'string' && typeof channelId === 'string' && typeof title === 'string'
      ? [{ kanbanId, channelId, title }]
      : [],
  );
  const ids = objects.flatMap(({ recordId }) =>
    typeof recordId === 'string' && isId(recordId) ? recordId : [],
  );
  if (keys.length > 0) await lockDuplicates(tx, accountId, keys);
  if (ids.length > 0) await lockRecords(tx, accountId, ids);
}

function isObject(item: unknown): item is { [name: string]: unknown } {
  return typeof item === 'object' && item !== null;
}
