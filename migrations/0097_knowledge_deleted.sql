-- kind: expand
-- Deleted documents that were public and that replies cite: readers keep these citations.
create table knowledge_deleted_documents (
  account_id uuid not null references accounts (id),
  document_id uuid not null,
  primary key (account_id, document_id)
);
