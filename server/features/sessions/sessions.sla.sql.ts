/**
 * The service levels that a conversation shows. `service-levels` decides them; they are stored here so that every read of
 * a conversation has them, and so that a conversation without any costs nothing.
 */
import type { SessionSla, SlaKind, SlaState } from '../../../contract/service-levels.ts';
import type { OpeningHours } from '../../../contract/widget/opening-hours.ts';
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { minutesBetween } from '../business-hours/business-hours.ts';

/** Without a policy: an account with policies follows the conversation, and none applies to it. */
export interface StoredSla {
  policyId?: string;
  /** Null: around the clock. */
  hoursId?: string | null;
  targets?: {
    kind: SlaKind;
    dueAt: number | null;
    state: SlaState;
    /** Minutes; null while the time runs. */
    left: number | null;
  }[];
}

/** What a read of a conversation needs to show them. */
export interface SlaRow {
  storedSla: StoredSla | null;
  slaHours: OpeningHours | null;
  readAt: number | null;
}

/** Of a conversation s. */
export const slaColumns = sql`s.sla as "storedSla",
  case when s.sla is not null then (select json_build_object('timeZone', b.time_zone, 'week', b.week,
      'closedDates', b.closed_dates)
    from business_hours b where b.account_id = s.account_id and b.id = (s.sla ->> 'hoursId')::uuid) end as "slaHours",
  case when s.sla is not null then (extract(epoch from now()) * 1000)::bigint end as "readAt"`;

const minuteMs = 60_000;
/** A late target is negative from the first second. */
const whole = (minutes: number) => (minutes < 0 ? Math.floor(minutes) : Math.ceil(minutes));

export function shownSla({ storedSla, slaHours, readAt }: SlaRow): SessionSla | null {
  if (!storedSla?.policyId) return null;
  const { policyId, targets = [] } = storedSla;
  const now = readAt!;
  return {
    policyId,
    targets: targets.map(({ kind, dueAt, state, left }) => {
      const until = dueAt ?? now;
      const minutes = left ?? (slaHours ? minutesBetween(slaHours, now, until) : (until - now) / minuteMs);
      // The worker marks it within seconds.
      const isLate = state === 'running' && dueAt !== null && dueAt < now;
      const kept = { kind, dueAt: state === 'paused' ? null : dueAt };
      return { ...kept, state: isLate ? 'breached' : state, remainingMinutes: whole(minutes) };
    }),
  };
}

export interface SlaUpdate {
  sessionId: string;
  /** Null: the account has no policies any more. */
  sla: StoredSla | null;
  /** When there is something to do; null: nothing. */
  slaAt: number | null;
  /** When the most urgent target is due; null: none is open, or all are paused. */
  slaDue: number | null;
  eventSequence: number;
}

/** Of conversations that are locked. It is no new version of them. */
export async function updateSla(tx: Tx, accountId: string, updates: readonly SlaUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  await tx.query(sql`
    update sessions s set sla = g.sla, sla_at = g."slaAt", sla_due = g."slaDue", event_sequence = g."eventSequence"
    from json_to_recordset(${JSON.stringify(updates)}::json) as g ("sessionId" text, sla jsonb, "slaAt" bigint,
      "slaDue" bigint, "eventSequence" int)
    where s.account_id = ${accountId} and s.session_id = g."sessionId"`);
}
