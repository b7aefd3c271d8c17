-- kind: expand
-- Knowledge of an account: sources, their documents, the versions of a document and the passages of its published one.
alter table accounts add column max_knowledge_documents integer not null default 50000;
alter table accounts add column max_knowledge_bytes bigint not null default 209715200;

-- One row for each account that has written knowledge. Every change takes it first and counts it, so changes commit in
-- the order of their numbers and a search index reads those after its own. A document that goes leaves no row: `removals`
-- is the number of the last change that removed one.
create table knowledge_state (
  account_id uuid primary key references accounts (id),
  changes bigint not null,
  removals bigint not null default 0,
  documents integer not null default 0,
  bytes bigint not null default 0
);

create table knowledge_sources (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  kind text not null check (kind = 'articles'),
  language text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);

create table knowledge_documents (
  account_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  url text,
  language text not null,
  state text not null check (state in ('draft', 'published', 'failed', 'gone')),
  audience text not null check (audience in ('public', 'internal')),
  version integer not null,
  published_version integer check ((published_version is not null) = (state = 'published')),
  title text not null,
  characters integer not null,
  bytes integer not null,
  problem text,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text not null,
  change_number bigint not null,
  primary key (account_id, id),
  foreign key (account_id, source_id) references knowledge_sources (account_id, id)
);
create index knowledge_documents_source on knowledge_documents (account_id, source_id, state);
create index knowledge_documents_change on knowledge_documents (account_id, change_number, id);

create table knowledge_versions (
  account_id uuid not null,
  document_id uuid not null,
  version integer not null,
  title text not null,
  text text not null,
  characters integer not null,
  created_at bigint not null,
  created_by text not null,
  primary key (account_id, document_id, version),
  foreign key (account_id, document_id) references knowledge_documents (account_id, id)
);

-- Of published versions. "start_at" and "end_at" are UTF-16 positions in the text of the version.
create table knowledge_passages (
  account_id uuid not null,
  document_id uuid not null,
  number integer not null,
  version integer not null,
  heading text,
  start_at integer not null,
  end_at integer not null,
  text text not null,
  primary key (account_id, document_id, number),
  foreign key (account_id, document_id, version) references knowledge_versions (account_id, document_id, version)
);

insert into knowledge_sources (account_id, id, name, kind, created_at, updated_at)
  select id, gen_random_uuid(), 'Articles', 'articles', ms, ms
  from accounts, (select (extract(epoch from now()) * 1000)::bigint as ms) as clock;
