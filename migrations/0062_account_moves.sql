-- kind: expand
-- Moving an account to another cell (docs/cells.md). With one cell these tables stay empty.

-- In the home cell: every move, for the command, the API and the other processes.
create table account_moves (
  id uuid primary key,
  account_id uuid not null,
  from_cell text not null,
  to_cell text not null,
  -- copying, checking, waiting (for work that runs), closing: under way. done, abandoned: over.
  state text not null default 'copying',
  -- The tables that are copied whole, by name.
  tables_done text[] not null default '{}',
  tables_total integer not null default 0,
  rows_copied bigint not null default 0,
  rows_total bigint not null default 0,
  -- What it waits for, or why it was abandoned.
  detail text,
  -- How long writes were refused.
  closed_ms integer,
  -- The command that works on it renews this: another one may go on when it has passed.
  worked_until timestamptz not null default now(),
  worker uuid,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  check (state in ('copying', 'checking', 'waiting', 'closing', 'done', 'abandoned'))
);
create unique index account_moves_under_way on account_moves (account_id) where ended_at is null;
create index account_moves_started on account_moves (started_at desc);

-- In the cells of a move: what may be written of the account there. Triggers on every table with rows of accounts look
-- here; they exist only while there is a row (server/platform/cells/move/fence.sql.ts).
create table account_fences (
  account_id uuid primary key,
  move_id uuid not null,
  -- The command that works on the move.
  holder uuid not null,
  -- leaving: written as usual, and noted. arriving: by the move only. moved: by nobody.
  state text not null,
  other_cell text not null,
  -- Leaving, and no background work begins before this.
  quiet_until timestamptz,
  -- Leaving, and nothing is written before this.
  closed_until timestamptz,
  -- Moved, and the directory says so.
  settled_at timestamptz,
  -- Arriving: changes of which nobody has been notified yet.
  news json,
  check (state in ('leaving', 'arriving', 'moved'))
);

-- Keys of the rows that were written while the account is leaving.
create table account_move_changes (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  table_name text not null,
  key jsonb not null
);

-- Its arguments are the columns of the key. A write that has begun ends before the account is closed: the lock is
-- shared, and closing takes it alone.
create function guard_account_row() returns trigger language plpgsql as $$
declare
  v_account uuid;
  v_fence account_fences;
  v_row jsonb;
  v_key jsonb;
  v_old_key jsonb;
begin
  if tg_table_name = 'accounts' then
    if tg_op = 'DELETE' then v_account := old.id; else v_account := new.id; end if;
  else
    if tg_op = 'DELETE' then v_account := old.account_id; else v_account := new.account_id; end if;
  end if;
  select * into v_fence from account_fences where account_id = v_account;
  if found and current_setting('talkboard.moving', true) is distinct from v_account::text then
    perform pg_advisory_xact_lock_shared(7231020, hashtext(v_account::text));
    select * into v_fence from account_fences where account_id = v_account;
    if v_fence.state in ('moved', 'arriving') and tg_op = 'DELETE' then
      -- Housekeeping of all accounts must not fail because of rows that the move takes care of.
      return null;
    end if;
    if v_fence.state in ('moved', 'arriving') or v_fence.closed_until > clock_timestamp() then
      raise exception 'the account is moving to another database' using errcode = 'TB001';
    end if;
    if v_fence.state = 'leaving' then
      if tg_op = 'DELETE' then v_row := to_jsonb(old); else v_row := to_jsonb(new); end if;
      select jsonb_object_agg(k, v_row -> k) into v_key from unnest(tg_argv) k;
      insert into account_move_changes (account_id, table_name, key) values (v_account, tg_table_name, v_key);
      if tg_op = 'UPDATE' then
        v_row := to_jsonb(old);
        select jsonb_object_agg(k, v_row -> k) into v_old_key from unnest(tg_argv) k;
        if v_old_key <> v_key then
          insert into account_move_changes (account_id, table_name, key) values (v_account, tg_table_name, v_old_key);
        end if;
      end if;
    end if;
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
