-- kind: expand
-- A job deletes the documents and the runs of a removed source in batches: the request would hold locks for seconds.
alter table knowledge_documents drop constraint knowledge_documents_account_id_source_id_fkey;
alter table knowledge_runs drop constraint knowledge_runs_account_id_source_id_fkey;
