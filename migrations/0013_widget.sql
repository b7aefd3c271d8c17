-- The chat widget of a web channel. A channel without a row has the defaults.
create table widget_settings (
  account_id uuid not null,
  channel_id uuid not null,
  title text not null default '',
  color text not null default '#5059d1',
  greeting text not null default '',
  side text not null default 'right',
  theme text not null default 'auto',
  language text not null default 'auto',
  allowed_origins text[] not null default '{}',
  -- Sealed with SECRET_KEY; never returned.
  identity_secret text,
  -- Counts the secrets: tokens of visitors who were told by an earlier one do not hold any more.
  identity_generation int not null default 0,
  primary key (account_id, channel_id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade
);

-- A site names its channel before anyone knows the account.
create index channels_of_sites on channels (identifier, created_at, id) where type = 'web';

-- Who has uploaded a file: a visitor may send only what is theirs.
create table widget_uploads (
  account_id uuid not null,
  file_key uuid not null,
  session_id text not null,
  primary key (account_id, file_key),
  foreign key (account_id, file_key) references attachments (account_id, file_key) on delete cascade
);
