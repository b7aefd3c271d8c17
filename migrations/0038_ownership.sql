-- Teams; who takes how many conversations; which channels assign theirs automatically.
create table teams (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);
create unique index teams_name on teams (account_id, lower(name));

create table team_members (
  account_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  primary key (account_id, team_id, user_id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index team_members_user on team_members (account_id, user_id);

alter table users
  add column capacity int not null default 20 check (capacity between 0 and 1000),
  add column availability text not null default 'available' check (availability in ('available', 'away'));

alter table channels
  add column assignment_mode text not null default 'off'
    check (assignment_mode in ('off', 'round_robin', 'least_busy')),
  add column assignment_team_id uuid,
  add foreign key (account_id, assignment_team_id) references teams (account_id, id)
    on delete set null (assignment_team_id);
-- The assigner asks for these a few times per second; most instances have none.
create index channels_assigning on channels (account_id) where assignment_mode <> 'off';

-- Both references have names: a write that loses against the deletion of its user or team is retried.
alter table sessions rename constraint sessions_account_id_assigned_user_id_fkey to sessions_owner;
alter table sessions add constraint sessions_team_reference foreign key (account_id, team_id)
  references teams (account_id, id) on delete set null (team_id);
-- For counts and for everyone's load, without reading the conversations.
create index sessions_owners on sessions (account_id, assigned_user_id, kanban_id, team_id) where status = 'open';
-- What waits for an owner.
create index sessions_waiting on sessions (account_id, channel_id)
  where status = 'open' and assigned_user_id is null and (ai_paused or needs_attention);

-- The order of automatic assignment: the lowest turn is next.
create table assignment_turns (
  account_id uuid not null,
  user_id uuid not null,
  turn bigint not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('message', 'handover', 'attention', 'snooze_ended', 'mention', 'assigned', 'webhook_disabled',
    'task_reminder', 'task_assigned', 'comment_mention'));
