-- kind: expand
-- Questions that agents could not answer, in groups. The words of customers are in `knowledge_unanswered` alone, whose rows
-- go with their messages: a group is described by its oldest row.
create table knowledge_gaps (
  account_id uuid not null references accounts (id),
  id uuid not null,
  state text not null check (state in ('open', 'drafted', 'dismissed')),
  -- The article that was drafted, and the conversation that its text comes from.
  document_id uuid,
  drafted_from text,
  created_at bigint not null,
  primary key (account_id, id)
);
create index knowledge_gaps_drafted_from on knowledge_gaps (account_id, drafted_from) where drafted_from is not null;

create table knowledge_unanswered (
  account_id uuid not null,
  message_id uuid not null,
  session_id text not null,
  question text not null,
  at bigint not null,
  -- Null until a job has found the group.
  gap_id uuid,
  stems text[],
  primary key (account_id, message_id),
  foreign key (account_id, message_id) references messages (account_id, id) on delete cascade,
  foreign key (account_id, gap_id) references knowledge_gaps (account_id, id)
);
create index knowledge_unanswered_gap on knowledge_unanswered (account_id, gap_id, at);
create index knowledge_unanswered_session on knowledge_unanswered (account_id, session_id);
