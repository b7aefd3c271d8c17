/** Many creates and updates in one request, each judged on its own. */
import { BatchCreateItem, type BatchResult, BatchUpdateItem } from '../../../contract/records.ts';
import type { Tx } from '../../platform/db.ts';
import { phraseOf } from '../../platform/error-handler.ts';
import { AppError } from '../../platform/errors.ts';
import { checkObject } from '../../platform/validation.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { changeRecord, createRecord } from './records.ts';

/** One transaction with a savepoint per item: a refused item leaves nothing behind, and a crash leaves none of them. */
export async function runBatch(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: DefinitionsCache,
  items: unknown[],
  defaultKanbanId: string | undefined,
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  for (const item of items) {
    try {
      results.push(
        await tx.savepoint(() =>
          definitions.withDefinitions(actor.accountId, async (current) => {
            if (isUpdate(item)) {
              const { recordId, ...change } = checkObject(BatchUpdateItem, item);
              return { status: 200, record: await changeRecord(tx, actor, now, current, recordId, change) };
            }
            const input = checkObject(BatchCreateItem, item);
            const kanbanId = input.kanbanId ?? defaultKanbanId;
            const record = await createRecord(tx, actor, now, current, { ...input, kanbanId });
            return { status: record.alreadyExists ? 200 : 201, record };
          }),
        ),
      );
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const { status, code, message } = error;
      results.push({ status, error: phraseOf(status), message, code });
    }
  }
  return results;
}

function isUpdate(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'recordId' in item;
}
