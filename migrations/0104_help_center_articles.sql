-- kind: expand
-- The lists of a help center: a collection by title, and how many articles each has.
create index knowledge_documents_shown on knowledge_documents
  (account_id, collection_id, left(lower(title), 200), id) include (language, source_id)
  where state = 'published' and audience = 'public';
