-- kind: expand
-- Questions with the documents that answer them, by which the search of an account is measured. A document that goes stays
-- in the list: it is left out when the list is read.
create table knowledge_questions (
  account_id uuid not null references accounts (id),
  id uuid not null,
  q text not null,
  document_ids uuid[] not null,
  created_at bigint not null,
  primary key (account_id, id)
);
