-- kind: expand
-- Each change of an agent's settings makes a version, which never changes. The key of its provider is no part of it.
alter table agents add column version integer not null default 1;
-- In US dollars for a million tokens: {"input", "output"}. Null: the provider's public price.
alter table agents add column price jsonb;

create table agent_versions (
  account_id uuid not null,
  agent_id uuid not null,
  version integer not null,
  content jsonb not null,
  changed text[] not null,
  note text,
  published_at bigint not null,
  published_by text not null,
  primary key (account_id, agent_id, version),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade
);

-- Changes that are not published. Has a key only if it points to another origin than the agent.
create table agent_drafts (
  account_id uuid not null,
  agent_id uuid not null,
  version integer not null,
  content jsonb not null,
  api_key text,
  updated_at bigint not null,
  updated_by text not null,
  primary key (account_id, agent_id),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade
);

insert into agent_versions (account_id, agent_id, version, content, changed, published_at, published_by)
  select account_id, id, 1, jsonb_build_object('name', name, 'provider', provider, 'model', model, 'baseUrl', base_url,
      'instructions', instructions, 'knowledge', knowledge, 'tools', tools, 'batchWindowMs', batch_window_ms,
      'allowedKanbanIds', (select coalesce(jsonb_agg(k.kanban_id order by k.position), '[]') from agent_kanbans k
        where k.account_id = a.account_id and k.agent_id = a.id),
      'knowledgeSourceIds', (select coalesce(jsonb_agg(k.source_id order by k.position), '[]')
        from agent_knowledge_sources k where k.account_id = a.account_id and k.agent_id = a.id),
      'mayUseInternal', may_use_internal, 'answerOnlyFromKnowledge', answer_only_from_knowledge, 'price', null),
    '{}', updated_at, 'Talkboard'
  from agents a;
