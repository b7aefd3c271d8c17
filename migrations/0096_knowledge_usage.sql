-- kind: expand
-- Which replies were given passages of a document. Only the ids: passages are long.
create index reply_log_retrieved on reply_log using gin (jsonb_path_query_array(retrieved, '$[*].documentId') jsonb_path_ops)
  where retrieved is not null;
