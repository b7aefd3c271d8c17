-- kind: expand
-- Websites as sources of knowledge: their settings, the runs that read them, and what a run has read.
alter table knowledge_sources drop constraint knowledge_sources_kind_check;
alter table knowledge_sources add constraint knowledge_sources_kind_check
  check (kind in ('articles', 'website', 'files'));
-- "headers" is sealed; "settings" has their names only.
alter table knowledge_sources add column settings jsonb not null default '{}';
alter table knowledge_sources add column headers text;
alter table knowledge_sources add column next_sync_at bigint;

create table knowledge_runs (
  account_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  state text not null check (state in ('running', 'review', 'published', 'cancelled', 'failed')),
  reason text,
  counts jsonb not null,
  started_at bigint not null,
  started_by text not null,
  ended_at bigint,
  -- The pages to begin with are stored: robots.txt and the sitemaps were read.
  is_seeded boolean not null default false,
  primary key (account_id, id),
  foreign key (account_id, source_id) references knowledge_sources (account_id, id)
);
create unique index knowledge_runs_running on knowledge_runs (account_id, source_id) where state = 'running';
create index knowledge_runs_source on knowledge_runs (account_id, source_id, id);

-- Every address that a run has found. Without a verdict it has still to be read.
create table knowledge_run_pages (
  account_id uuid not null,
  run_id uuid not null,
  number integer not null,
  url text not null,
  -- How many links and how many redirects led to it.
  depth integer not null,
  hops integer not null,
  -- The address that the page names as its own, if that one was read instead.
  canonical text,
  ignores_canonical boolean not null default false,
  document_id uuid,
  verdict text check (verdict in ('added', 'changed', 'unchanged', 'gone', 'skipped', 'failed')),
  reason_code text,
  reason text,
  http_status integer,
  primary key (account_id, run_id, number),
  unique (account_id, run_id, url),
  foreign key (account_id, run_id) references knowledge_runs (account_id, id)
);

-- What a run has read, until it ends. "text" is null if the document has it already.
create table knowledge_run_texts (
  account_id uuid not null,
  run_id uuid not null,
  number integer not null,
  title text not null,
  text text,
  bytes integer not null,
  hash text not null,
  language text,
  etag text,
  links jsonb not null,
  primary key (account_id, run_id, number),
  foreign key (account_id, run_id) references knowledge_runs (account_id, id)
);

-- What the next run needs of the newest version of a document: with the same ETag, a site sends neither text nor links.
create table knowledge_web_pages (
  account_id uuid not null,
  document_id uuid not null,
  hash text not null,
  etag text,
  links jsonb not null,
  primary key (account_id, document_id),
  foreign key (account_id, document_id) references knowledge_documents (account_id, id)
);

-- Live updates of a run. Its administrators are notified when it waits for a review.
create function live_note_knowledge_run() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id) values (new.account_id, 'knowledge_run.updated', new.id);
  if tg_op = 'UPDATE' and old.state <> 'review' and new.state = 'review' then
    insert into live_changes (account_id, type, subject_id) values (new.account_id, 'knowledge_run.review', new.id);
  end if;
  return null;
end $$;
create trigger live_knowledge_runs_come after insert on knowledge_runs for each row
  execute function live_note_knowledge_run();
create trigger live_knowledge_runs after update on knowledge_runs for each row
  when (old.state <> new.state or old.counts <> new.counts) execute function live_note_knowledge_run();

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('message', 'handover', 'attention', 'snooze_ended', 'mention', 'assigned', 'webhook_disabled',
    'connector_failed', 'task_reminder', 'task_assigned', 'comment_mention', 'knowledge_review')) not valid;
