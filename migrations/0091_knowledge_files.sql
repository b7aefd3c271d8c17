-- kind: expand
-- Files as documents. A document has the version 0 until its file is read.
alter table knowledge_sources drop constraint knowledge_sources_kind_check;
alter table knowledge_sources add constraint knowledge_sources_kind_check
  check (kind in ('articles', 'files', 'website'));

alter table knowledge_documents add column file_key uuid;
create unique index knowledge_documents_file on knowledge_documents (account_id, file_key) where file_key is not null;
