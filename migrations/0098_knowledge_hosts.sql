-- kind: expand
-- How fast the runs of all processes together request pages of a host. Of no account: two accounts may read the same
-- website. Unlogged: a crash of the database makes a crawler impolite for one request.
create unlogged table knowledge_hosts (
  host text primary key,
  free_at timestamptz not null,
  turns jsonb not null
);
