-- kind: expand
-- The processes that answer requests and can be reached by each other (NODE_ADDRESS). Each renews its row every few
-- seconds. Used in the database of DATABASE_URL only. Unlogged: after a crash the rows are back within seconds.

create unlogged table api_nodes (
  id uuid primary key,
  url text not null,
  seen_at timestamptz not null default now()
);
