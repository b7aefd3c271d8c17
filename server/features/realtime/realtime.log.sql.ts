/** The numbered changes. Migration 0010 explains how they are made. */
import { isNotElsewhere } from '../../platform/cells/move/served-here.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface LoggedChange {
  accountId: string;
  /** Without a gap per account. */
  seq: number;
  /** Increasing over all accounts. */
  position: number;
  type: string;
  subjectId: string;
  itemId: string | null;
  kanbanId: string | null;
  leftKanbanId: string | null;
  userId: string | null;
  detail: string | null;
}

export interface Tick {
  epoch: string;
  /** The position of the last change overall. */
  head: number;
  lastSignal: number;
  changes: LoggedChange[];
}

const columns = sql`account_id as "accountId", seq, "position", type, subject_id as "subjectId", item_id as "itemId",
  kanban_id as "kanbanId", left_kanban_id as "leftKanbanId", user_id as "userId", detail`;

export interface LiveState extends Omit<Tick, 'changes'> {
  /** There are changes without a number. */
  isUnnumbered: boolean;
}

/** Null: there is no state yet, or no longer. */
export const liveState = {
  name: 'live changes',
  value: sql`(select jsonb_build_object('epoch', s.epoch, 'head', s."position",
      'lastSignal', coalesce((select max(id) from live_signals), 0),
      'isUnnumbered', (select min(id) from live_changes) is not null) from live_state s)`,
};

/** Numbers what was committed and reads what follows a position; with a limit of 0 it only numbers. */
export async function tick(db: Db, after: number, limit: number): Promise<Tick> {
  // It numbers changes and is no change itself.
  const rows = await db.autocommit<LoggedChange & Omit<Tick, 'changes'>>(
    sql`select epoch, head, last_signal as "lastSignal", ${columns} from live_tick(${after}, ${limit})`,
    { isSilent: true },
  );
  const [{ epoch, head, lastSignal }] = rows as [(typeof rows)[0]];
  return { epoch, head, lastSignal, changes: rows.filter((row) => row.seq !== null) };
}

/** The current position of an account. */
export async function selectHead(
  db: Reader,
  accountId: string,
): Promise<{ epoch: string; seq: number } | null> {
  const [row] = await db.query<{ epoch: string; seq: number }>(sql`
    select s.epoch, coalesce((select h.seq from live_heads h where h.account_id = ${accountId}), 0) as seq
    from live_state s`);
  return row ?? null;
}

export async function selectChangesAfter(
  db: Reader,
  accountId: string,
  seq: number,
  limit: number,
): Promise<LoggedChange[]> {
  return db.query<LoggedChange>(sql`
    select ${columns} from live_log where account_id = ${accountId} and seq > ${seq} order by seq limit ${limit}`);
}

/** No notifications are made of these, and there are many of them. */
const noNews = [
  'record.created',
  'record.updated',
  'record.deleted',
  'task.created',
  'task.updated',
  'task.deleted',
  'comment.created',
  'comment.updated',
  'comment.deleted',
  'message.updated',
  'knowledge_run.updated',
  'notification.updated',
  'notifications.read',
];

export interface Unnotified {
  changes: LoggedChange[];
  /** Up to which all have been taken; null: another process is taking them. */
  position: number | null;
}

/** Takes the changes without notifications yet; concurrent callers get none. */
export async function takeUnnotified(tx: Tx, limit: number): Promise<Unnotified> {
  await tx.query(sql`insert into live_notified default values on conflict do nothing`);
  const [state] = await tx.query<{ from: number; head: number }>(sql`
    select n."position" as "from", s."position" as head from live_notified n, live_state s for update of n skip locked`);
  if (!state) return { changes: [], position: null };
  if (state.from >= state.head) return { changes: [], position: state.from };
  const changes = await tx.query<LoggedChange>(sql`
    select ${columns} from live_log
    where "position" > ${state.from} and "position" <= ${state.head} and type <> all(${noNews})
      and ${isNotElsewhere(sql`live_log.account_id`)}
    order by "position" limit ${limit}`);
  const to = changes.length === limit ? changes[limit - 1]!.position : state.head;
  await tx.query(sql`update live_notified set "position" = ${to}`);
  return { changes, position: to };
}

/** Of the rows of a session's transaction the one that names an author is before the one of the session itself. */
const rowsBack = 1_000;

/** The author of a scheduled message whose failure made this very change of its session; they are notified of the failure. */
export async function findFailedAuthor(
  tx: Tx,
  { accountId, seq, subjectId }: Pick<LoggedChange, 'accountId' | 'seq' | 'subjectId'>,
): Promise<string | null> {
  const [row] = await tx.query<{ type: string; userId: string | null }>(sql`
    select type, user_id as "userId" from live_log
    where account_id = ${accountId} and seq < ${seq} and seq > ${seq}::bigint - ${rowsBack}::bigint
      and subject_id = ${subjectId} and type in ('scheduled.failed', 'session.updated')
    order by seq desc limit 1`);
  return row?.type === 'scheduled.failed' ? row.userId : null;
}

const pruneBatch = 10_000;

/** Oldest first, so that remaining ones are not scanned. Changes without notifications yet stay. */
export async function pruneLog(db: Db, keptMinutes: number): Promise<void> {
  for (;;) {
    const deleted = await db.transaction((tx) =>
      tx.query<{ count: number }>(
        sql`
        with oldest as (select account_id, seq, numbered_at from live_log order by "position" limit ${pruneBatch}),
        gone as (
          delete from live_log l using oldest o, live_notified n
          where l.account_id = o.account_id and l.seq = o.seq and l."position" <= n."position"
            and o.numbered_at < now() - make_interval(mins => ${keptMinutes}::int)
          returning 1)
        select count(*)::int as count from gone`,
        { timeoutMs: 60_000 },
      ),
    );
    if (deleted[0]!.count < pruneBatch) break;
  }
  await db.transaction((tx) =>
    tx.query(sql`
      with tickets as (delete from live_tickets where expires_at < now()),
        signals as (delete from live_signals where created_at < now() - interval '1 minute')
      delete from live_presence where seen_at < now() - interval '5 minutes'`),
  );
}

export interface SignalRow {
  id: number;
  body: string;
}

export async function insertSignal(tx: Tx, body: string): Promise<void> {
  await tx.query(sql`insert into live_signals (body) values (${body})`);
}

export async function selectSignals(db: Reader, after: number): Promise<SignalRow[]> {
  return db.query<SignalRow>(
    sql`select id, body from live_signals where id > ${after} order by id limit 1000`,
  );
}
