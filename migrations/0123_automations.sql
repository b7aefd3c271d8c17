-- kind: expand
-- Rules: what happens by itself. docs/automation.md.
create table automations (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  enabled boolean not null,
  -- When it was last enabled: it runs for nothing that happened before.
  enabled_at bigint,
  -- Why the service switched it off.
  disabled_reason text,
  place integer not null,
  version integer not null,
  trigger jsonb not null,
  conditions jsonb,
  steps jsonb not null,
  cooldown_minutes integer not null,
  -- What it listens to (automation_causes.triggers), and the ids that it refers to.
  listens text[] not null,
  refs text[] not null,
  failures integer not null default 0,
  hook_hash bytea,
  secret text,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by jsonb not null,
  primary key (account_id, id)
);
create unique index automations_hook on automations (hook_hash) where hook_hash is not null;

-- Runs keep the version that they began with.
create table automation_versions (
  account_id uuid not null,
  rule_id uuid not null,
  version integer not null,
  rule jsonb not null,
  primary key (account_id, rule_id, version),
  foreign key (account_id, rule_id) references automations (account_id, id) on delete cascade
);

-- What the enabled rules of an account listen to: the only thing that other changes ask. The version grows with each change.
create table automation_listeners (
  account_id uuid primary key references accounts (id),
  version bigint not null default 1,
  triggers text[] not null default '{}'
) with (fillfactor = 50);

-- What rules may run for, and afterwards why they did or did not. One row is worked on at a time for each subject.
create table automation_causes (
  account_id uuid not null,
  seq bigint not null generated always as identity,
  id uuid not null default gen_random_uuid(),
  type text not null check (type in ('message', 'session_change', 'event', 'timer', 'hook', 'run')),
  source_id text not null,
  subject text not null,
  session_id text,
  record_id uuid,
  triggers text[] not null,
  -- Of a timer or a hook: the only rule. Of a run: it goes on.
  rule_id uuid,
  run_id uuid,
  -- The rules whose steps led to it.
  chain jsonb,
  -- What changed, as far as triggers ask for it.
  detail jsonb,
  payload jsonb,
  at bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
  is_open boolean not null default true,
  -- One of many of a schedule: after all others.
  is_bulk boolean not null default false,
  lease_token uuid,
  ready_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  verdicts jsonb not null default '[]',
  primary key (account_id, id)
);
create index automation_causes_seq on automation_causes (account_id, seq);
create index automation_causes_open on automation_causes (is_bulk, seq) where is_open;
create index automation_causes_earlier on automation_causes (account_id, subject, seq) where is_open;
create index automation_causes_subject on automation_causes (account_id, subject, seq);
create index automation_causes_at on automation_causes using brin (at);

create table automation_runs (
  account_id uuid not null,
  id uuid not null,
  rule_id uuid not null,
  rule_name text not null,
  version integer not null,
  -- The row in automation_causes, which may be gone.
  cause_row uuid not null,
  cause_type text not null,
  cause_id text not null,
  subject text not null,
  session_id text,
  record_id uuid,
  message_id uuid,
  state text not null check (state in ('running', 'waiting', 'done', 'failed', 'cancelled')),
  reason text,
  -- The step that comes next.
  next_path text,
  steps_done integer not null default 0,
  due_at bigint,
  cancel_on text[] not null default '{}',
  -- With the rule itself.
  chain jsonb not null,
  payload jsonb,
  left_over integer,
  created_at bigint not null,
  ended_at bigint,
  primary key (account_id, id)
);
create unique index automation_runs_cause on automation_runs (account_id, rule_id, cause_row);
create index automation_runs_rule on automation_runs (account_id, rule_id, created_at);
create index automation_runs_subject on automation_runs (account_id, rule_id, subject, created_at);
create index automation_runs_due on automation_runs (due_at) where state = 'waiting';
create index automation_runs_session on automation_runs (account_id, session_id) where state = 'waiting';
create index automation_runs_record on automation_runs (account_id, record_id) where state = 'waiting';
create index automation_runs_ended on automation_runs (ended_at) where ended_at is not null;

create table automation_run_steps (
  account_id uuid not null,
  run_id uuid not null,
  ordinal integer not null,
  step_id text not null,
  path text not null,
  type text not null,
  state text not null check (state in ('done', 'skipped', 'waiting', 'failed', 'cancelled')),
  reason text,
  at bigint not null,
  input jsonb,
  output jsonb,
  effects jsonb not null default '[]',
  due_at bigint,
  cancel_on text[] not null default '{}',
  primary key (account_id, run_id, ordinal),
  foreign key (account_id, run_id) references automation_runs (account_id, id) on delete cascade
);

-- What time triggers wait for. Without a time it has fired in this period.
create table automation_timers (
  account_id uuid not null,
  rule_id uuid not null,
  subject text not null,
  session_id text,
  record_id uuid,
  -- Which wait, date or task it is about.
  period text not null,
  due_at bigint,
  primary key (account_id, rule_id, subject),
  foreign key (account_id, rule_id) references automations (account_id, id) on delete cascade
);
create index automation_timers_due on automation_timers (due_at) where due_at is not null;

-- For what is copied, imported or invented no rule runs.
create function automation_is_off(account uuid) returns boolean language sql stable as $$
  select coalesce(current_setting('talkboard.automation', true) = 'off', false)
    or coalesce(current_setting('talkboard.moving', true) = account::text, false)
$$;

create function refresh_automation_listeners() returns trigger language plpgsql as $$
declare
  account uuid := coalesce(new.account_id, old.account_id);
begin
  -- Its row is copied, and removed, like any other.
  if current_setting('talkboard.moving', true) = account::text then return null; end if;
  insert into automation_listeners as l (account_id, triggers)
    select account, coalesce(array_agg(distinct key), '{}')
    from automations a cross join lateral unnest(a.listens) key
    where a.account_id = account and a.enabled
    on conflict (account_id) do update set version = l.version + 1, triggers = excluded.triggers;
  return null;
end $$;
create trigger automations_listen after insert or delete or update of enabled, listens, version, place, name on automations
  for each row execute function refresh_automation_listeners();

create function live_note_automation() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id, detail)
    values (new.account_id, 'automation.disabled', new.id, new.disabled_reason);
  return null;
end $$;
create trigger live_automations after update on automations
  for each row when (old.enabled and not new.enabled and new.disabled_reason is not null)
  execute function live_note_automation();

-- The change that a wait is cancelled by commits with the cancellation: nothing of the run happens after it.
create function cancel_automation_waits(account uuid, session text, record uuid, what text, cause text) returns void
language plpgsql as $$
declare
  moment bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
begin
  with cancelled as (
    update automation_runs r set state = 'cancelled', reason = cause, due_at = null, ended_at = moment
    where r.account_id = account and r.state = 'waiting' and what = any(r.cancel_on)
      and (r.session_id = session or r.record_id = record)
    returning r.id)
  update automation_run_steps s set state = 'cancelled', reason = cause, at = moment
  from cancelled c where s.account_id = account and s.run_id = c.id and s.state = 'waiting';
end $$;

-- For each row, not for each statement: what an account without rules pays is one look by its key, and rows of a
-- statement would first be copied into a table of their own.
create function note_message_cause() returns trigger language plpgsql as $$
declare
  listened text[];
  author text;
  what text[];
begin
  select l.triggers into listened from automation_listeners l where l.account_id = new.account_id;
  if not found then return null; end if;
  if automation_is_off(new.account_id) then return null; end if;
  author := case when new.is_note or new.held or new.role = 'system' then null
    when new.is_echo then 'person'
    when new.role = 'user' then 'customer'
    when new.role = 'assistant' then 'agent'
    when new.by_rule then 'rule'
    else 'person' end;
  if author = 'customer' then
    perform cancel_automation_waits(new.account_id, new.session_id, null, 'customer_message', 'The customer wrote.');
  elsif author in ('person', 'agent') then
    perform cancel_automation_waits(new.account_id, new.session_id, null, 'team_reply', 'The customer got an answer.');
  end if;
  what := array_remove(array[
    case when new.position = 1 then 'session_created' end,
    case when author = 'customer' then 'customer_message' else 'reply_sent:' || author end], null);
  if listened && what then
    insert into automation_causes (account_id, type, source_id, subject, session_id, triggers, chain)
    values (new.account_id, 'message', new.id, 's:' || new.session_id, new.session_id, what,
      nullif(current_setting('talkboard.chain', true), '')::jsonb);
  end if;
  return null;
end $$;
create trigger automation_messages after insert on messages for each row execute function note_message_cause();

-- A held reply that is released is sent only now.
create function note_released_cause() returns trigger language plpgsql as $$
declare
  what text[] := array[case when new.by_rule then 'reply_sent:rule' when new.role = 'assistant' then 'reply_sent:agent'
    else 'reply_sent:person' end];
begin
  if not exists (select from automation_listeners l where l.account_id = new.account_id) then return null; end if;
  if automation_is_off(new.account_id) then return null; end if;
  if not new.by_rule then
    perform cancel_automation_waits(new.account_id, new.session_id, null, 'team_reply', 'The customer got an answer.');
  end if;
  insert into automation_causes (account_id, type, source_id, subject, session_id, triggers, chain)
    select new.account_id, 'message', new.id, 's:' || new.session_id, new.session_id, what,
      nullif(current_setting('talkboard.chain', true), '')::jsonb
    from automation_listeners l where l.account_id = new.account_id and l.triggers && what;
  return null;
end $$;
create trigger automation_released after update on messages
  for each row when (old.held and not new.held) execute function note_released_cause();

create function note_session_causes() returns trigger language plpgsql as $$
declare
  change record;
  what text[];
begin
  if not exists (select from automation_listeners l where l.account_id in (select c.account_id from created c)) then
    return null;
  end if;
  if automation_is_off((select c.account_id from created c limit 1)) then return null; end if;
  for change in
    select c.account_id, c.session_id, c.sequence, c.changes, l.triggers,
      c.changes @? '$[*] ? (@.field == "status")' as has_status,
      c.changes @? '$[*] ? (@.field == "status" && @.newValue == "resolved")' as is_resolved,
      c.changes @? '$[*] ? ((@.field == "assignedUserId" || @.field == "teamId") && @.newValue != null)' as is_assigned,
      c.changes @? '$[*] ? (@.field == "personRequested" && @.newValue == true)' as is_requested,
      labels.old_ids, labels.new_ids
    from created c join automation_listeners l on l.account_id = c.account_id
    left join lateral (
      select array(select jsonb_array_elements_text(e -> 'oldValue')) as old_ids,
        array(select jsonb_array_elements_text(e -> 'newValue')) as new_ids
      from jsonb_array_elements(c.changes) e where e ->> 'field' = 'labelIds') labels on true
    order by c.session_id, c.sequence
  loop
    if change.is_resolved then
      perform cancel_automation_waits(change.account_id, change.session_id, null, 'session_resolved',
        'The conversation was resolved.');
    end if;
    what := array_remove(array[
      case when change.has_status then 'session_status_changed' end,
      case when change.is_assigned then 'session_assigned' end,
      case when change.is_requested then 'ai_handed_over' end,
      case when not change.new_ids <@ change.old_ids then 'label_added' end,
      case when not change.old_ids <@ change.new_ids then 'label_removed' end], null);
    if change.triggers && what then
      insert into automation_causes (account_id, type, source_id, subject, session_id, triggers, detail, chain)
      values (change.account_id, 'session_change', change.session_id || ':' || change.sequence,
        's:' || change.session_id, change.session_id, what, jsonb_build_object('changes', change.changes),
        nullif(current_setting('talkboard.chain', true), '')::jsonb);
    end if;
  end loop;
  return null;
end $$;
create trigger automation_session_changes after insert on session_changes referencing new table as created
  for each statement execute function note_session_causes();

create function note_pause_cause() returns trigger language plpgsql as $$
begin
  if automation_is_off(new.account_id) then return null; end if;
  insert into automation_causes (account_id, type, source_id, subject, session_id, triggers, chain)
    select new.account_id, 'session_change', new.session_id || ':' || new.sequence, 's:' || new.session_id,
      new.session_id, '{ai_handed_over}', nullif(current_setting('talkboard.chain', true), '')::jsonb
    from automation_listeners l where l.account_id = new.account_id and 'ai_handed_over' = any(l.triggers);
  return null;
end $$;
create trigger automation_pauses after insert on ai_pauses
  for each row when (new.paused and new.by_agent) execute function note_pause_cause();

create function note_event_cause() returns trigger language plpgsql as $$
declare
  listened text[];
  what text[];
  record_of uuid;
  session_of text;
  data jsonb;
begin
  select l.triggers into listened from automation_listeners l where l.account_id = new.account_id;
  if not found then return null; end if;
  if automation_is_off(new.account_id) then return null; end if;
  if new.event in ('session_rated', 'sla_warning', 'sla_breached') then
    session_of := new.subject_id;
  else
    record_of := new.subject_id::uuid;
  end if;
  if new.event = 'crm_field_update' and new.field_id = 'status' then
    perform cancel_automation_waits(new.account_id, null, record_of, 'record_moved', 'The card was moved.');
  end if;
  what := case new.event
    when 'crm_record_created' then '{record_created}'::text[]
    when 'comment_created' then '{comment_added}'
    when 'task_created' then '{task_due}'
    when 'task_updated' then '{task_due}'
    when 'crm_field_update' then array_remove(array['field_changed:' || new.field_id,
      case when new.field_id = 'status' then 'record_moved' end], null)
    else array[new.event] end;
  if listened && what then
    data := new.body::jsonb -> 'data';
    insert into automation_causes (account_id, type, source_id, subject, session_id, record_id, triggers, detail, chain)
    values (new.account_id, 'event', new.id, coalesce('s:' || session_of, 'r:' || record_of), session_of,
      record_of, what, jsonb_strip_nulls(jsonb_build_object('kanbanId', new.kanban_id, 'fieldId', new.field_id,
        'from', case when new.field_id = 'status' then data -> 'oldValue' end,
        'to', case when new.field_id = 'status' then data -> 'newValue' end,
        'score', data -> 'score', 'taskId', data -> 'task' -> 'taskId')),
      nullif(current_setting('talkboard.chain', true), '')::jsonb);
  end if;
  return null;
end $$;
create trigger automation_events after insert on events for each row
  when (new.event in ('crm_record_created', 'crm_field_update', 'comment_created', 'task_created', 'task_updated',
    'session_rated', 'sla_warning', 'sla_breached'))
  execute function note_event_cause();

-- What a rule refers to is gone: the rule is switched off with it. At the commit, because lists are written anew.
create function switch_off_automations() returns trigger language plpgsql as $$
declare
  gone jsonb := to_jsonb(old);
  what text := case tg_table_name
    when 'kanban_statuses' then (gone ->> 'kanban_id') || '/' || (gone ->> 'value')
    else gone ->> 'id' end;
  is_there boolean;
  moment bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
begin
  if current_setting('talkboard.moving', true) = old.account_id::text then return null; end if;
  if not exists (select from automations a
      where a.account_id = old.account_id and a.enabled and a.refs @> array[what]) then
    return null;
  end if;
  if tg_table_name = 'kanban_statuses' then
    select exists (select from kanban_statuses s where s.account_id = old.account_id
      and s.kanban_id = (gone ->> 'kanban_id')::uuid and s.value = gone ->> 'value') into is_there;
  else
    execute format('select exists (select from %I where account_id = $1 and id = $2)', tg_table_name)
      into is_there using old.account_id, (gone ->> 'id')::uuid;
  end if;
  if is_there then return null; end if;
  with off as (
    update automations a set enabled = false, updated_at = moment,
      disabled_reason = format('the %s “%s” was deleted', tg_argv[0],
        coalesce(gone ->> 'name', gone ->> 'label', gone ->> 'title', what))
    where a.account_id = old.account_id and a.enabled and a.refs @> array[what]
    returning a.id, a.disabled_reason)
  insert into audit_log (account_id, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, changes)
    select old.account_id, gen_random_uuid(), moment, 'system', 'system', 'Talkboard', 'automation.disabled',
      'automation', off.id::text,
      jsonb_build_object('enabled', jsonb_build_object('from', true, 'to', false),
        'disabledReason', jsonb_build_object('from', null, 'to', off.disabled_reason))
    from off;
  return null;
end $$;
create constraint trigger automations_of_labels after delete on labels deferrable initially deferred
  for each row execute function switch_off_automations('label');
create constraint trigger automations_of_teams after delete on teams deferrable initially deferred
  for each row execute function switch_off_automations('team');
create constraint trigger automations_of_users after delete on users deferrable initially deferred
  for each row execute function switch_off_automations('user');
create constraint trigger automations_of_kanbans after delete on kanbans deferrable initially deferred
  for each row execute function switch_off_automations('board');
create constraint trigger automations_of_statuses after delete on kanban_statuses deferrable initially deferred
  for each row execute function switch_off_automations('status');
create constraint trigger automations_of_fields after delete on kanban_fields deferrable initially deferred
  for each row execute function switch_off_automations('field');
create constraint trigger automations_of_channels after delete on channels deferrable initially deferred
  for each row execute function switch_off_automations('channel');
create constraint trigger automations_of_agents after delete on agents deferrable initially deferred
  for each row execute function switch_off_automations('agent');
create constraint trigger automations_of_tools after delete on tools deferrable initially deferred
  for each row execute function switch_off_automations('tool');
