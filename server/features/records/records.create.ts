/** POST /crm/records: how the rule of a create meets the definitions it is checked against. */
import type { CreatedRecord, RecordCreate } from '../../../contract/crm/records.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Tx } from '../../platform/db/db.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { isPlain } from './records.create.sql.ts';
import { createRecord } from './records.ts';

/**
 * A plain create is a single statement that checks the definitions itself, and shares it with creates that arrive at the
 * same time. Any other one locks them first, like every write of several statements.
 */
export function submitRecord(
  tx: Tx,
  { definitions, clock }: { definitions: DefinitionsCache; clock: Clock },
  actor: Actor,
  input: RecordCreate & { kanbanId?: string },
): Promise<CreatedRecord> {
  const { channelId = null, assignedUserIds = [], labelIds = [] } = input;
  return definitions.withDefinitions(
    tx,
    actor.accountId,
    (current) => createRecord(tx, actor, clock.now(), current, input),
    { verify: isPlain({ channelId, assignedUserIds, labelIds }) ? 'last' : 'first' },
  );
}
