import type { AgentTestCase } from '../../../contract/agent-tests.ts';
import type { ToolCall } from '../../../contract/messaging/messages.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';

export type TestInput = Pick<AgentTestCase, 'messages' | 'notes' | 'customer' | 'card' | 'toolResults'>;

export interface StoredCase {
  id: string;
  agentId: string;
  name: string;
  input: TestInput;
  checks: AgentTestCase['checks'];
  /** Of the input and the checks. */
  revision: number;
  sessionId: string | null;
  messageId: string | null;
  by: string;
  createdAt: number;
  updatedAt: number;
}

const columns = sql`c.id, c.agent_id as "agentId", c.name, c.input, c.checks, c.revision, c.session_id as "sessionId",
  c.message_id as "messageId", c.created_by as by, c.created_at as "createdAt", c.updated_at as "updatedAt"`;

/** `visible`: the boards whose conversations the caller may read; null: all. */
export const readable = (visible: string[] | null, sessionId: Sql): Sql =>
  visible === null
    ? empty
    : sql`and (${sessionId} is null or exists (select from sessions s
        where s.account_id = c.account_id and s.session_id = ${sessionId} and s.kanban_id = any(${visible}::uuid[])))`;

/** Of the cases of an agent: the last one of two at a time finds all cases of the other. */
export async function lockCases(tx: Tx, agentId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${agentId} || '/test-cases', 0))`);
}

export async function insertCase(tx: Tx, accountId: string, one: StoredCase): Promise<void> {
  await tx.query(sql`
    insert into agent_test_cases (account_id, id, agent_id, name, input, checks, revision, session_id, message_id,
      created_by, created_at, updated_at)
    values (${accountId}, ${one.id}, ${one.agentId}, ${one.name}, ${JSON.stringify(one.input)},
      ${JSON.stringify(one.checks)}, ${one.revision}, ${one.sessionId}, ${one.messageId}, ${one.by}, ${one.createdAt},
      ${one.updatedAt})`);
}

export async function updateCase(tx: Tx, accountId: string, one: StoredCase): Promise<void> {
  await tx.query(sql`
    update agent_test_cases set name = ${one.name}, input = ${JSON.stringify(one.input)},
      checks = ${JSON.stringify(one.checks)}, revision = ${one.revision}, updated_at = ${one.updatedAt}
    where account_id = ${accountId} and id = ${one.id}`);
}

export async function deleteCase(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from agent_test_cases where account_id = ${accountId} and id = ${id}`);
}

export async function countCases(db: Reader, accountId: string, agentId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from agent_test_cases where account_id = ${accountId} and agent_id = ${agentId}`);
  return row!.count;
}

/** The oldest first. */
export async function selectCases(
  db: Reader,
  accountId: string,
  agentId: string,
  visible: string[] | null,
  { after, ids, limit }: { after?: string | null; ids?: readonly string[]; limit: number },
): Promise<StoredCase[]> {
  return db.query<StoredCase>(sql`
    select ${columns} from agent_test_cases c
    where c.account_id = ${accountId} and c.agent_id = ${agentId} ${readable(visible, sql`c.session_id`)}
      ${after ? sql`and c.id > ${after}::uuid` : empty}
      ${ids ? sql`and c.id = any(${ids}::uuid[])` : empty}
    order by c.id limit ${limit}`);
}

export async function selectCaseRevisions(
  db: Reader,
  accountId: string,
  agentId: string,
): Promise<{ id: string; name: string; revision: number }[]> {
  return db.query(sql`
    select id, name, revision from agent_test_cases where account_id = ${accountId} and agent_id = ${agentId}
    order by id`);
}

export interface PlaceOfMessage {
  isCustomers: boolean;
  position: number;
  recordId: string | null;
  sessionName: string | null;
  contactName: string | null;
  externalUserId: string | null;
  /** Of the reply to it. */
  toolCalls: ToolCall[];
  /** Messages up to it, and all notes, that have their text. */
  count: number;
}

export async function findPlaceOfMessage(
  db: Reader,
  accountId: string,
  sessionId: string,
  messageId: string,
): Promise<PlaceOfMessage | null> {
  const [row] = await db.query<PlaceOfMessage>(sql`
    select m.role = 'user' and not m.is_note as "isCustomers", m.position, s.record_id as "recordId",
      s.session_name as "sessionName", c.name as "contactName", s.external_user_id as "externalUserId",
      (select count(*)::int from messages o where o.account_id = m.account_id and o.session_id = m.session_id
        and (o.position <= m.position or o.is_note) and o.content <> '') as count,
      coalesce((select l.tool_calls from reply_log l
        where l.account_id = m.account_id and l.session_id = m.session_id and l.message_id = m.id
          and l.tool_calls is not null
        order by l.id desc limit 1), '[]') as "toolCalls"
    from messages m
    join sessions s on s.account_id = m.account_id and s.session_id = m.session_id
    left join contacts c on c.account_id = s.account_id and c.id = s.contact_id
    where m.account_id = ${accountId} and m.session_id = ${sessionId} and m.id = ${messageId}`);
  return row ?? null;
}
