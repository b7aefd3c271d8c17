-- kind: expand
-- Views of the inbox. `filter` null: all conversations. `place`: in the side bar.
create table inbox_views (
  account_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  name text not null,
  shared boolean not null,
  filter jsonb,
  sort text not null check (sort in ('newest', 'oldest', 'waiting', 'due')),
  place integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, owner_id) references users (account_id, id) on delete cascade
);
create unique index inbox_views_own_name on inbox_views (account_id, owner_id, lower(name)) where not shared;
create unique index inbox_views_shared_name on inbox_views (account_id, lower(name)) where shared;
