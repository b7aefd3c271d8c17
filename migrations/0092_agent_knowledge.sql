-- kind: expand
-- Agents answer from the knowledge of the account, and their replies say what they are based on. Existing agents have no
-- sources.
alter table agents add column may_use_internal boolean not null default false;
alter table agents add column answer_only_from_knowledge boolean not null default false;

-- A source that is deleted leaves the lists of all agents.
create table agent_knowledge_sources (
  account_id uuid not null,
  agent_id uuid not null,
  source_id uuid not null,
  position int not null,
  primary key (account_id, agent_id, source_id),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade,
  foreign key (account_id, source_id) references knowledge_sources (account_id, id) on delete cascade
);
create index agent_knowledge_sources_source on agent_knowledge_sources (account_id, source_id);

-- With the excerpts, which stay when the document changes or goes. Null: the message cites nothing.
alter table messages add column citations jsonb;

-- What the agent was given, what its reply used of it, and why a person was asked for.
alter table reply_log add column retrieved jsonb;
alter table reply_log add column citations jsonb;
alter table reply_log add column handover_reason text;

-- Which versions of documents are cited, by which replies: these versions are kept. A row goes with its reply, and with its
-- document.
create table knowledge_citations (
  account_id uuid not null,
  document_id uuid not null,
  version integer not null,
  message_id uuid not null,
  created_at bigint not null,
  primary key (account_id, document_id, version, message_id),
  foreign key (account_id, document_id, version)
    references knowledge_versions (account_id, document_id, version) on delete cascade,
  foreign key (account_id, message_id) references messages (account_id, id) on delete cascade
);
create index knowledge_citations_message on knowledge_citations (account_id, message_id);
