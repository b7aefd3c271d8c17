-- kind: expand
-- A run writes the passages of its pages before it publishes, beside those in use. A vector belongs to the passage of one
-- version; those of an earlier release have none and are made again.
alter table knowledge_vectors drop constraint knowledge_vectors_account_id_document_id_number_fkey;
alter table knowledge_passages drop constraint knowledge_passages_pkey;
alter table knowledge_passages add primary key (account_id, document_id, version, number);
alter table knowledge_vectors add column version integer;
update knowledge_vectors v set version = p.version from knowledge_passages p
  where p.account_id = v.account_id and p.document_id = v.document_id and p.number = v.number;
alter table knowledge_vectors add foreign key (account_id, document_id, version, number)
  references knowledge_passages (account_id, document_id, version, number) on delete cascade;
