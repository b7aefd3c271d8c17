create table kanbans (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  slug text not null,
  description text not null default '',
  is_default boolean not null,
  -- Set by naming members: a board whose last member left stays closed.
  is_restricted boolean not null default false,
  position int not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);
create unique index kanbans_slug on kanbans (account_id, slug);
create unique index kanbans_one_default on kanbans (account_id) where is_default;

create table kanban_statuses (
  account_id uuid not null,
  kanban_id uuid not null,
  value text not null,
  label text not null,
  color text not null,
  -- The one at position 0 is the status of a record that names none.
  position int not null,
  primary key (account_id, kanban_id, value),
  foreign key (account_id, kanban_id) references kanbans (account_id, id) on delete cascade
);

create table field_groups (
  account_id uuid not null,
  id uuid not null,
  kanban_id uuid not null,
  name text not null,
  position int not null,
  primary key (account_id, id),
  foreign key (account_id, kanban_id) references kanbans (account_id, id) on delete cascade
);
create index field_groups_kanban on field_groups (account_id, kanban_id);

create table kanban_fields (
  account_id uuid not null,
  id uuid not null,
  kanban_id uuid not null,
  group_id uuid,
  name text not null,
  type text not null,
  description text not null default '',
  options text[],
  position int not null,
  is_system boolean not null default false,
  bound_to_channels text[] not null default '{}',
  created_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, kanban_id) references kanbans (account_id, id) on delete cascade,
  foreign key (account_id, group_id) references field_groups (account_id, id) on delete set null (group_id)
);
create index kanban_fields_kanban on kanban_fields (account_id, kanban_id);

-- Counts only where the kanban is restricted; otherwise it is open to everyone.
create table kanban_members (
  account_id uuid not null,
  kanban_id uuid not null,
  user_id uuid not null,
  primary key (account_id, kanban_id, user_id),
  foreign key (account_id, kanban_id) references kanbans (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);

-- A write that was checked against cached definitions calls this inside its own statement. The shared lock makes a
-- change of definitions wait until the write has committed; reading after the lock, by a statement of its own,
-- sees a change that committed while we waited. (A lock on the account's row would cost every write a row version.)
create function definitions_are_current(p_account uuid, p_version bigint) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7231002, hashtext(p_account::text));
  return exists (select from accounts where id = p_account and definitions_version = p_version);
end $$;

-- Held by every change of definitions until it commits.
create function lock_definitions(p_account uuid) returns bigint language plpgsql as $$
declare v_version bigint;
begin
  perform pg_advisory_xact_lock(7231002, hashtext(p_account::text));
  update accounts set definitions_version = definitions_version + 1 where id = p_account
    returning definitions_version into v_version;
  return v_version;
end $$;
