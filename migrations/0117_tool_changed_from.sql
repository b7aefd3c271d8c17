-- kind: expand
-- Of a tool of an MCP server that was switched off because it differs from what somebody looked at: what they saw.
alter table tools add column changed_from jsonb;
