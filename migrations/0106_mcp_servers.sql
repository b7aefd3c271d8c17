-- kind: expand
-- MCP servers, whose tools are rows of tools. "headers" is sealed.
create table mcp_servers (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  url text not null,
  headers text,
  header_names text[] not null,
  refreshed_at bigint not null,
  created_at bigint not null,
  primary key (account_id, id),
  unique (account_id, name)
);
-- Its name on the server.
alter table tools add column mcp_server_id uuid;
alter table tools add column remote_name text;
alter table tools add constraint tools_mcp_server foreign key (account_id, mcp_server_id)
  references mcp_servers (account_id, id) on delete cascade;
create index tools_of_mcp_server on tools (account_id, mcp_server_id) where mcp_server_id is not null;
