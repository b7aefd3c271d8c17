import type { OpenTasks, Task } from '../../../contract/crm/tasks.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, limitTo, type Sql, sql } from '../../platform/db/sql.ts';

/** Of a table named t, joined with its records r. */
const taskColumns = sql`t.id as "taskId", t.record_id as "recordId", t.kanban_id as "kanbanId", r.title as "recordTitle",
  t.title, t.due_at as "dueAt", t.assigned_user_id as "assignedUserId", t.remind_at as "remindAt",
  t.done_at as "doneAt", t.done_by as "doneBy", t.created_by as "createdBy", t.updated_by as "updatedBy",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.client_id as "clientId"`;
const withRecord = sql`join records r on r.account_id = t.account_id and r.id = t.record_id`;
/** Tasks without a date are last. The same expression as in the indexes. */
const dueOrder = sql`coalesce(t.due_at, 253402300800000)`;

export interface TaskFilter {
  assignedUserId?: string;
  done?: boolean;
  dueBefore?: number;
  dueAfter?: number;
  recordId?: string;
  /** Null: no restriction. */
  visibleKanbanIds: string[] | null;
}

/** Of the last task of a page: completed tasks are ordered by `at`, all others by due date and creation. */
export interface TaskPlace {
  at: number;
  createdAt: number;
  id: string;
}

export type PlacedTask = Task & { place: number };

export async function selectTasks(
  db: Reader,
  accountId: string,
  filter: TaskFilter,
  after: TaskPlace | null,
  limit: number,
): Promise<PlacedTask[]> {
  const [place, beyond, order] = filter.done
    ? [
        sql`t.done_at`,
        after && sql`and (t.done_at, t.id) < (${after.at}, ${after.id})`,
        sql`t.done_at desc, t.id desc`,
      ]
    : [
        dueOrder,
        after && sql`and (${dueOrder}, t.created_at, t.id) > (${after.at}, ${after.createdAt}, ${after.id})`,
        sql`${dueOrder}, t.created_at, t.id`,
      ];
  return db.query<PlacedTask>(sql`
    select ${taskColumns}, ${place} as place from tasks t ${withRecord}
    where t.account_id = ${accountId} ${conditions(filter)} ${beyond ?? empty}
    order by ${order} ${limitTo(limit)}`);
}

function conditions(filter: TaskFilter): Sql {
  const { assignedUserId, done, dueBefore, dueAfter, recordId, visibleKanbanIds } = filter;
  return sql`
    ${assignedUserId === undefined ? empty : sql`and t.assigned_user_id = ${assignedUserId}`}
    ${done === undefined ? empty : done ? sql`and t.done_at is not null` : sql`and t.done_at is null`}
    ${dueBefore === undefined ? empty : sql`and t.due_at < ${dueBefore}`}
    ${dueAfter === undefined ? empty : sql`and t.due_at >= ${dueAfter}`}
    ${recordId === undefined ? empty : sql`and t.record_id = ${recordId}`}
    ${visibleKanbanIds === null ? empty : sql`and t.kanban_id = any(${visibleKanbanIds}::uuid[])`}`;
}

export async function findTask(db: Reader, accountId: string, id: string): Promise<Task | null> {
  const [row] = await db.query<Task>(
    sql`select ${taskColumns} from tasks t ${withRecord} where t.account_id = ${accountId} and t.id = ${id}`,
  );
  return row ?? null;
}

/** A reminder reads the task under this lock, which a change of the task waits for. */
export async function lockTask(tx: Tx, accountId: string, id: string): Promise<Task | null> {
  const [row] = await tx.query<Task>(sql`
    select ${taskColumns} from tasks t ${withRecord} where t.account_id = ${accountId} and t.id = ${id} for update of t`);
  return row ?? null;
}

export async function countTasks(db: Reader, accountId: string, recordId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from tasks where account_id = ${accountId} and record_id = ${recordId}`,
  );
  return row!.count;
}

export async function insertTask(tx: Tx, accountId: string, task: Task): Promise<void> {
  await tx.query(sql`
    insert into tasks (account_id, id, record_id, kanban_id, title, due_at, assigned_user_id, remind_at, created_by,
      updated_by, created_at, updated_at, client_id)
    values (${accountId}, ${task.taskId}, ${task.recordId}, ${task.kanbanId}, ${task.title}, ${task.dueAt},
      ${task.assignedUserId}, ${task.remindAt}, ${task.createdBy}, ${task.updatedBy}, ${task.createdAt},
      ${task.updatedAt}, ${task.clientId})`);
}

export async function updateTask(tx: Tx, accountId: string, task: Task): Promise<void> {
  await tx.query(sql`
    update tasks set title = ${task.title}, due_at = ${task.dueAt}, assigned_user_id = ${task.assignedUserId},
      remind_at = ${task.remindAt}, done_at = ${task.doneAt}, done_by = ${task.doneBy}, updated_by = ${task.updatedBy},
      updated_at = ${task.updatedAt}
    where account_id = ${accountId} and id = ${task.taskId}`);
}

export async function deleteTask(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from tasks where account_id = ${accountId} and id = ${id}`);
}

export interface TaskKey {
  accountId: string;
  id: string;
}

/** Of several accounts at once, for live updates. */
export async function selectTasksByKeys(
  db: Reader,
  keys: readonly TaskKey[],
): Promise<(Task & { accountId: string; id: string })[]> {
  return db.query(sql`
    select t.account_id as "accountId", t.id, ${taskColumns}
    from unnest(${keys.map((key) => key.accountId)}::uuid[], ${keys.map((key) => key.id)}::uuid[])
      as wanted (account, task)
    join tasks t on t.account_id = account and t.id = task ${withRecord}`);
}

/** By the ids of records. */
export async function countOpenTasksByKeys(
  db: Reader,
  records: readonly TaskKey[],
): Promise<(OpenTasks & { accountId: string; id: string })[]> {
  return db.query(sql`
    select account as "accountId", record as id, count(t.id)::int as open, min(t.due_at) as "nextDueAt"
    from unnest(${records.map((key) => key.accountId)}::uuid[], ${records.map((key) => key.id)}::uuid[])
      as wanted (account, record)
    left join tasks t on t.account_id = account and t.record_id = record and t.done_at is null
    group by account, record`);
}
