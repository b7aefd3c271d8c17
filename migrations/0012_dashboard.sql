-- What the dashboard keeps and reads.

-- `settings` is the dashboard's own affair; `owner_id` sees a view that is not shared.
create table saved_views (
  account_id uuid not null,
  id uuid not null,
  kanban_id uuid not null,
  owner_id uuid not null,
  name text not null,
  shared boolean not null,
  settings jsonb not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, kanban_id) references kanbans (account_id, id) on delete cascade,
  foreign key (account_id, owner_id) references users (account_id, id) on delete cascade
);
create index saved_views_kanban on saved_views (account_id, kanban_id);

create table saved_replies (
  account_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  name text not null,
  text text not null,
  shared boolean not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, owner_id) references users (account_id, id) on delete cascade
);

-- What happened to a record. Only changes: the hot create, whose event is of another name, does not pay for it.
create index events_of_record on events (account_id, subject_id, sequence) where event = 'crm_field_update';

-- Both are few among all conversations, and are counted for every page of the dashboard.
create index sessions_unread on sessions (account_id) where unread > 0;
create index sessions_attention on sessions (account_id) where needs_attention;
