/** The moves of the instance and the switch of the directory. In the home cell. */
import type { Db, Reader } from '../../db/db.ts';
import { sql } from '../../db/sql.ts';
import { homeCell } from '../cell-settings.ts';

export type MoveState = 'copying' | 'checking' | 'waiting' | 'closing' | 'done' | 'abandoned';

export interface Move {
  id: string;
  accountId: string;
  from: string;
  to: string;
  state: MoveState;
  tablesDone: string[];
  tablesTotal: number;
  rowsCopied: number;
  rowsTotal: number;
  detail: string | null;
  /** How long writes were refused. */
  closedMs: number | null;
  startedAt: number;
  endedAt: number | null;
}

const columns = sql`id, account_id as "accountId", from_cell as "from", to_cell as "to", state,
  tables_done as "tablesDone", tables_total as "tablesTotal", rows_copied as "rowsCopied", rows_total as "rowsTotal",
  detail, closed_ms as "closedMs", (extract(epoch from started_at) * 1000)::bigint as "startedAt",
  (extract(epoch from ended_at) * 1000)::bigint as "endedAt"`;

export async function findMove(home: Reader, accountId: string): Promise<Move | null> {
  const [row] = await home.query<Move>(
    sql`select ${columns} from account_moves where account_id = ${accountId} and ended_at is null`,
  );
  return row ?? null;
}

/** The latest first. */
export async function selectMoves(home: Reader, limit: number): Promise<Move[]> {
  return home.query<Move>(
    sql`select ${columns} from account_moves order by ended_at is not null, started_at desc limit ${limit}`,
  );
}

export async function findLatestMove(home: Reader, accountId: string): Promise<Move | null> {
  const [row] = await home.query<Move>(sql`
    select ${columns} from account_moves where account_id = ${accountId} order by started_at desc limit 1`);
  return row ?? null;
}

/** False: another move of the account is under way. */
export async function insertMove(
  home: Db,
  move: Pick<Move, 'id' | 'accountId' | 'from' | 'to'>,
): Promise<boolean> {
  const rows = await home.autocommit(sql`
    insert into account_moves (id, account_id, from_cell, to_cell)
    values (${move.id}, ${move.accountId}, ${move.from}, ${move.to})
    on conflict (account_id) where ended_at is null do nothing returning 1`);
  return rows.length > 0;
}

/** False: another command works on it. */
export async function holdMove(home: Db, id: string, worker: string, seconds: number): Promise<boolean> {
  const rows = await home.autocommit(sql`
    update account_moves set worker = ${worker}, worked_until = now() + make_interval(secs => ${seconds}::float8)
    where id = ${id} and ended_at is null and (worker = ${worker} or worked_until < now()) returning 1`);
  return rows.length > 0;
}

export async function letGoOfMove(home: Db, id: string, worker: string): Promise<void> {
  await home.autocommit(
    sql`update account_moves set worked_until = now() where id = ${id} and worker = ${worker}`,
  );
}

export async function saveMove(
  home: Db,
  { id, state, tablesDone, tablesTotal, rowsCopied, rowsTotal, detail, closedMs }: Move,
): Promise<void> {
  await home.autocommit(sql`
    update account_moves set state = ${state}, tables_done = ${tablesDone}::text[], tables_total = ${tablesTotal},
      rows_copied = ${rowsCopied}, rows_total = ${rowsTotal}, detail = ${detail}, closed_ms = ${closedMs}
    where id = ${id} and ended_at is null`);
}

export async function endMove(
  home: Db,
  id: string,
  state: 'abandoned',
  detail: string | null,
): Promise<void> {
  await home.autocommit(sql`
    update account_moves set state = ${state}, detail = ${detail}, ended_at = now() where id = ${id} and ended_at is null`);
}

/** Once: false if it has been switched before. */
export async function switchCell(
  home: Db,
  moveId: string,
  { emails, slugs }: { emails: readonly string[]; slugs: readonly string[] },
): Promise<boolean> {
  return home.transaction(async (tx) => {
    const [move] = await tx.query<{ accountId: string; to: string }>(sql`
      update account_moves set state = 'done', detail = null, ended_at = clock_timestamp()
      where id = ${moveId} and ended_at is null returning account_id as "accountId", to_cell as "to"`);
    if (!move) return false;
    await tx.query(sql`
      insert into cell_accounts (account_id, cell, placed_at) values (${move.accountId}, ${move.to}, clock_timestamp())
      on conflict (account_id) do update set cell = excluded.cell, placed_at = excluded.placed_at`);
    // Users of the home cell may not be listed. An entry of another account is one without a user.
    await tx.query(sql`
      insert into cell_emails (email, account_id) select e, ${move.accountId}::uuid from unnest(${emails}::text[]) e
      on conflict (email) do update set account_id = excluded.account_id`);
    await tx.query(sql`
      insert into cell_slugs (slug, account_id) select s, ${move.accountId}::uuid from unnest(${slugs}::text[]) s
      on conflict (slug) do nothing`);
    return true;
  });
}

export async function isSwitched(home: Reader, moveId: string): Promise<boolean> {
  const rows = await home.query(sql`select from account_moves where id = ${moveId} and state = 'done'`);
  return rows.length > 0;
}

export interface MovingAccount {
  accountId: string;
  moveId: string;
  from: string;
  to: string;
  state: MoveState;
}

export async function selectMoving(home: Reader): Promise<MovingAccount[]> {
  return home.query<MovingAccount>(sql`
    select account_id as "accountId", id as "moveId", from_cell as "from", to_cell as "to", state from account_moves
    where ended_at is null`);
}

/** As it is now, for an account that moves. */
export async function findMovingCell(
  home: Reader,
  accountId: string,
): Promise<{ cell: string; isClosing: boolean }> {
  const [row] = await home.query<{ cell: string; isClosing: boolean }>(sql`
    select coalesce((select cell from cell_accounts where account_id = ${accountId}), ${homeCell}) as cell,
      exists (select from account_moves
        where account_id = ${accountId} and ended_at is null and state = 'closing' and worked_until > now())
        as "isClosing"`);
  return row!;
}

export async function selectEmails(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    sql`select email from users where account_id = ${accountId}`,
  );
  return rows.map(({ email }) => email);
}

/** Of help centers. */
export async function selectSlugs(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db.query<{ slug: string }>(
    sql`select slug from help_slugs where account_id = ${accountId}`,
  );
  return rows.map(({ slug }) => slug);
}

/** Asked of the cell of the account. Moves are listed in the home cell only, a moment before the fence exists. */
export async function isMoving(db: Reader, accountId: string): Promise<boolean> {
  const [row] = await db.query<{ isMoving: boolean }>(sql`
    select exists (select from account_fences where account_id = ${accountId})
      or exists (select from account_moves where account_id = ${accountId} and ended_at is null) as "isMoving"`);
  return row!.isMoving;
}

export interface MoverState {
  isDeleting: boolean;
  hasInstanceAdmin: boolean;
}

/** Null: there is no such account. */
export async function findMover(db: Reader, accountId: string): Promise<MoverState | null> {
  const [row] = await db.query<MoverState>(sql`
    select a.deleting_at is not null as "isDeleting", exists (select from users u where u.account_id = a.id and u.is_instance_admin) as "hasInstanceAdmin"
    from accounts a where a.id = ${accountId}`);
  return row ?? null;
}

/** The accounts of a cell that may move; those of the administrators of the instance stay. */
export async function selectMovable(home: Reader, cell: string): Promise<string[]> {
  const rows = await home.query<{ id: string }>(
    cell === homeCell
      ? sql`
        select a.id from accounts a
        where coalesce((select c.cell from cell_accounts c where c.account_id = a.id), ${homeCell}) = ${homeCell}
          and not exists (select from users u where u.account_id = a.id and u.is_instance_admin)
          and not exists (select from account_fences f where f.account_id = a.id and f.state <> 'leaving')
        order by a.id`
      : sql`select account_id as id from cell_accounts where cell = ${cell} order by account_id`,
  );
  return rows.map(({ id }) => id);
}
