-- kind: expand
-- The help center: collections of documents, translations, images of articles, its settings and what readers say.

-- "parent_id" refers to a collection of the account: every change of knowledge takes the row of knowledge_state, which
-- keeps it true. A reference of the table to itself would hold up the copying of an account.
create table knowledge_collections (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  position integer not null,
  parent_id uuid,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);

alter table knowledge_documents add column collection_id uuid;
-- The original of a translation; the same holds for it as for "parent_id".
alter table knowledge_documents add column translation_of uuid;
alter table knowledge_documents add constraint knowledge_documents_collection
  foreign key (account_id, collection_id) references knowledge_collections (account_id, id);
create index knowledge_documents_collection on knowledge_documents (account_id, collection_id)
  where collection_id is not null;
create index knowledge_documents_translation on knowledge_documents (account_id, translation_of)
  where translation_of is not null;

-- Which files are images of which articles, in any version.
create table knowledge_images (
  account_id uuid not null,
  document_id uuid not null,
  file_key uuid not null,
  primary key (account_id, document_id, file_key),
  foreign key (account_id, document_id) references knowledge_documents (account_id, id) on delete cascade
);
create index knowledge_images_file on knowledge_images (account_id, file_key);

create table help_centers (
  account_id uuid primary key references accounts (id),
  enabled boolean not null,
  slug text,
  name text not null,
  color text not null,
  logo_file_key uuid,
  languages text[] not null,
  home_text text not null,
  updated_at bigint not null
);

-- Every slug that the account has used. A slug stays with the account that took it first, so that no link to a help
-- center ever leads to another one.
create table help_slugs (
  account_id uuid not null references accounts (id),
  slug text not null,
  primary key (account_id, slug)
);
create unique index help_slugs_slug on help_slugs (slug);

-- Of several databases (CELLS), in the home cell only: see cell_emails.
create table cell_slugs (
  slug text primary key,
  account_id uuid not null,
  claimed_at timestamptz not null default now()
);

create table help_feedback (
  account_id uuid not null,
  document_id uuid not null,
  version integer not null,
  helpful integer not null default 0,
  not_helpful integer not null default 0,
  primary key (account_id, document_id, version),
  foreign key (account_id, document_id) references knowledge_documents (account_id, id) on delete cascade
);

-- Keyed hashes of the day, the article and the address, for two days: a second vote on the same day does not count.
create table help_voters (
  account_id uuid not null references accounts (id),
  day date not null,
  voter bytea not null,
  primary key (account_id, day, voter)
);
