-- The widget's service: asking for a person, name and e-mail, opening hours, ratings and transcripts.
alter table widget_settings
  add column talk_to_person boolean not null default false,
  add column ask_for text not null default 'off' check (ask_for in ('off', 'first_message', 'after_hours')),
  add column ask_name text not null default 'optional' check (ask_name in ('off', 'optional', 'required')),
  add column ask_email text not null default 'required' check (ask_email in ('off', 'optional', 'required')),
  add column hours jsonb,
  add column away_message text not null default '',
  add column ai_hours text not null default 'always' check (ai_hours in ('always', 'open', 'closed')),
  add column ask_rating boolean not null default false,
  add column offer_transcript boolean not null default false;

-- What a visitor gave. Not unique: several visitors may share an address.
alter table sessions add column customer_email text;

-- One for each time that a conversation was resolved; resolved_at identifies the resolution.
create table session_ratings (
  account_id uuid not null,
  session_id text not null,
  resolved_at bigint not null,
  score smallint not null check (score between 1 and 5),
  comment text not null default '',
  user_id uuid,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, session_id, resolved_at),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index session_ratings_at on session_ratings (account_id, created_at);
