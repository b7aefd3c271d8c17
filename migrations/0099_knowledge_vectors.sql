-- kind: expand
-- Search by meaning: the provider of an account that makes vectors of passages, and these vectors.

create table knowledge_embeddings (
  account_id uuid primary key references accounts (id),
  enabled boolean not null,
  provider text not null,
  base_url text not null,
  model text not null,
  api_key text,
  -- Vectors with another number are of another model or address, and are made again.
  generation bigint not null,
  -- Of the first vector of this generation; null: there is none.
  dimensions integer,
  problem text,
  updated_at bigint not null
);

create table knowledge_vectors (
  account_id uuid not null,
  document_id uuid not null,
  number integer not null,
  generation bigint not null,
  -- One signed byte for each dimension; null: the provider refuses this passage.
  vector bytea,
  primary key (account_id, document_id, number),
  foreign key (account_id, document_id, number)
    references knowledge_passages (account_id, document_id, number) on delete cascade
);
