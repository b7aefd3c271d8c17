-- Fields whose values AI agents must not see.
alter table kanban_fields add column ai_visible boolean not null default true;

-- Boards that an agent may transfer to. A board that is deleted leaves the lists of all agents.
create table agent_kanbans (
  account_id uuid not null,
  agent_id uuid not null,
  kanban_id uuid not null,
  position int not null,
  primary key (account_id, agent_id, kanban_id),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade,
  foreign key (account_id, kanban_id) references kanbans (account_id, id) on delete cascade
);
create index agent_kanbans_kanban on agent_kanbans (account_id, kanban_id);
