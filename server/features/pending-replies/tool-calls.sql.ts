/**
 * Calls of tools that change something. They are here because what takes the permission to reply away takes them away
 * too: a pause, a transfer and a block cancel those that have not begun, in the same transaction. A call begins while
 * its row is locked, so a pause waits until it has begun or finds it first.
 */
import type { ToolCallEntry } from '../../../contract/tool-calls.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

export type ToolCallState =
  | Exclude<ToolCallEntry['state'], 'expired'>
  /** Shown as running. */
  | 'approved'
  | 'claimed';

export interface StoredCall {
  id: string;
  sessionId: string;
  agentId: string;
  toolId: string;
  name: string;
  arguments: Record<string, unknown>;
  state: ToolCallState;
  requestedAt: number;
  decidedBy: string | null;
  result: string | null;
}

export interface NewCall extends Omit<StoredCall, 'decidedBy' | 'result'> {
  messageId: string;
}

const columns = sql`id, session_id as "sessionId", agent_id as "agentId", tool_id as "toolId", name, arguments, state,
  requested_at as "requestedAt", decided_by as "decidedBy", result`;

/** Null: this message has asked for the very same call before. */
export async function insertToolCall(tx: Tx, accountId: string, call: NewCall): Promise<StoredCall | null> {
  const [row] = await tx.query<StoredCall>(sql`
    insert into tool_calls (account_id, id, session_id, message_id, agent_id, tool_id, name, arguments, state,
      requested_at)
    values (${accountId}, ${call.id}, ${call.sessionId}, ${call.messageId}, ${call.agentId}, ${call.toolId},
      ${call.name}, ${JSON.stringify(call.arguments)}, ${call.state}, ${call.requestedAt})
    on conflict do nothing returning ${columns}`);
  return row ?? null;
}

export async function findSameCall(
  tx: Tx,
  accountId: string,
  { messageId, toolId, arguments: given }: NewCall,
): Promise<StoredCall> {
  const [row] = await tx.query<StoredCall>(sql`
    select ${columns} from tool_calls where account_id = ${accountId} and message_id = ${messageId}
      and tool_id = ${toolId} and md5(arguments::text) = md5(${JSON.stringify(given)}::jsonb::text)`);
  return row!;
}

/** Newest first. */
export async function selectToolCalls(
  db: Reader,
  accountId: string,
  sessionId: string,
  before: string | null,
  limit: number,
): Promise<StoredCall[]> {
  return db.query<StoredCall>(sql`
    select ${columns} from tool_calls
    where account_id = ${accountId} and session_id = ${sessionId} and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`);
}

export async function findToolCall(
  db: Reader,
  accountId: string,
  sessionId: string,
  id: string,
): Promise<StoredCall | null> {
  const [row] = await db.query<StoredCall>(sql`
    select ${columns} from tool_calls
    where account_id = ${accountId} and session_id = ${sessionId} and id = ${id}`);
  return row ?? null;
}

/** Whether one, other than `exceptId`, has waited no longer than `since`. */
export async function hasWaitingCall(
  db: Reader,
  accountId: string,
  sessionId: string,
  since: number,
  exceptId: string | null = null,
): Promise<boolean> {
  const rows = await db.query(sql`
    select from tool_calls where account_id = ${accountId} and session_id = ${sessionId} and state = 'waiting'
      and requested_at > ${since} and id is distinct from ${exceptId}::uuid limit 1`);
  return rows.length > 0;
}

/** Null: it is not in one of these states, and nothing was changed. */
export async function moveToolCall(
  tx: Tx,
  accountId: string,
  id: string,
  from: readonly ToolCallState[],
  to: ToolCallState,
  rest: { decidedBy?: string; result?: string | null } = {},
): Promise<StoredCall | null> {
  const [row] = await tx.query<StoredCall>(sql`
    update tool_calls set state = ${to}, decided_by = coalesce(${rest.decidedBy ?? null}, decided_by),
      result = coalesce(${rest.result ?? null}, result)
    where account_id = ${accountId} and id = ${id} and state = any(${from}) returning ${columns}`);
  return row ?? null;
}

/** Those that have not begun. Waits for one that is beginning. */
export async function cancelToolCalls(tx: Tx, accountId: string, ofSessions: Sql): Promise<void> {
  await tx.query(sql`
    update tool_calls t set state = 'cancelled'
    where t.account_id = ${accountId} and t.state in ('waiting', 'approved', 'claimed') and t.session_id in (${ofSessions})`);
}
