-- kind: expand
-- Where accounts live when the instance has several databases (CELLS). These tables are used in the database of
-- DATABASE_URL only, the home cell. With one cell they stay empty.

create table cells (
  name text primary key,
  -- New accounts are spread in proportion to it.
  weight integer not null default 100,
  -- Takes no new accounts.
  drained boolean not null default false,
  check (weight >= 0 and weight <= 1000000)
);

-- An account that is not listed lives in the home cell.
create table cell_accounts (
  account_id uuid primary key,
  cell text not null,
  placed_at timestamptz not null default now()
);
create index cell_accounts_cell on cell_accounts (cell);
create index cell_accounts_placed on cell_accounts (placed_at);

-- E-mail addresses are unique in the instance. Users of the home cell that were created before there were others are
-- found in users only.
create table cell_emails (
  email text primary key,
  account_id uuid not null,
  claimed_at timestamptz not null default now()
);
