-- kind: expand
-- Which replies were given passages of a document.
create index reply_log_retrieved on reply_log using gin (retrieved jsonb_path_ops) where retrieved is not null;
