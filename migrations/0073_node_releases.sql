-- kind: expand
-- The release of each node, for the page about the instance. Null: it is older than this column.

alter table api_nodes add column release text;
