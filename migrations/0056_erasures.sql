-- kind: expand
-- Erasures of people. `person` holds what is being looked for and is null as soon as the erasure has ended: the row
-- keeps ids and counts only.
create table erasures (
  account_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  state text not null check (state in ('running', 'done', 'failed')),
  keeps_records boolean not null,
  -- The rows are gone; the traces in the log of live updates follow.
  is_tracing boolean not null default false,
  person jsonb,
  removed jsonb not null default '{}',
  backups jsonb not null default '[]',
  created_at bigint not null,
  ended_at bigint,
  primary key (account_id, id),
  foreign key (account_id) references accounts (id)
);
create unique index erasures_running on erasures (account_id, contact_id) where state = 'running';

-- Backups that were written with `talkboard backup`: an erasure names them, because they still hold the person.
create table backups (
  id uuid primary key,
  name text not null,
  created_at bigint not null
);
