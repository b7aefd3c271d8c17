-- kind: expand
-- Which tools an agent may call. A row goes with its agent or its tool.
create table agent_tools (
  account_id uuid not null,
  agent_id uuid not null,
  tool_id uuid not null,
  position int not null,
  primary key (account_id, agent_id, tool_id),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade,
  foreign key (account_id, tool_id) references tools (account_id, id) on delete cascade
);
create index agent_tools_tool on agent_tools (account_id, tool_id);
