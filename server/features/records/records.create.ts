/** POST /crm/records. Creates that arrive at the same time share a statement. */
import type { CreatedRecord, CrmRecord, RecordCreate } from '../../../contract/crm/records.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { createBatchedWrite, type Submission } from '../../platform/db/shared/batched-writes.ts';
import { AppError } from '../../platform/http/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type Definitions, type DefinitionsCache, requireKanban } from '../kanbans/kanbans.ts';
import { insertSharedRecords, type NewRecord } from './records.create.sql.ts';
import { recordCreated } from './records.events.ts';
import { createRecord, newRecord } from './records.ts';

interface CreationDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  definitions: DefinitionsCache;
}

type Creation = RecordCreate & { kanbanId?: string };

/** Alone, the transaction locks the definitions; a shared statement checks their version itself. */
export function createSubmitRecord({ db, clock, logger, definitions }: CreationDeps) {
  const insertShared = createBatchedWrite<NewRecord & { version: number }, CrmRecord>({
    what: 'records',
    logger,
    maxItems: 100,
    // The best of 2, 3, 5 and 7 with 16 clients: 5 % more than never sending early.
    pipelineFrom: 3,
    async write(items) {
      const [{ record, version }] = items as [NewRecord & { version: number }];
      const isWritten = await insertSharedRecords(db, record.accountId, items, version);
      return items.map((item) => (isWritten ? item.record : null));
    },
  });
  return (actor: Actor, input: Creation): Submission<CreatedRecord> => ({
    alone: (tx) =>
      definitions.withDefinitions(tx, actor.accountId, (current) =>
        createRecord(tx, actor, clock.now(), current, input),
      ),
    async shared() {
      const known = await definitions.known(actor.accountId);
      const record = plainRecord(actor, clock.now(), known, input);
      if (!record) return null;
      const { version } = known;
      return insertShared(`${actor.accountId} ${version}`, {
        record,
        event: recordCreated(record, record.createdAt),
        version,
      });
    },
  });
}

/** Null where there is a duplicate, a user or a label to look for, and where it is rejected: the definitions may have changed. */
function plainRecord(actor: Actor, now: number, definitions: Definitions, input: Creation): CrmRecord | null {
  try {
    const record = newRecord(actor, now, requireKanban(definitions, actor, input.kanbanId), input);
    const { channelId, assignedUserIds, labelIds } = record;
    return channelId === null && assignedUserIds.length === 0 && labelIds.length === 0 ? record : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
