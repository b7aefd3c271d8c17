-- kind: expand
-- The passages of a page are cut before its run publishes, because others wait for the publication.
alter table knowledge_run_texts add column characters integer;
alter table knowledge_run_texts add column passages jsonb;
