-- kind: expand
-- Which kind of connector a delivery and its items came through: a connector of another kind does not take them over.
-- Null for what came before.
alter table connector_inbound add column kind text;
alter table connector_items add column kind text;

-- Where each parameter of a template goes; null: all of them into its text, by number. Why a template cannot be sent from
-- here; null: it can.
alter table connector_templates
  add column placements jsonb,
  add column unsupported text;
-- When they were last read because a template was not in the list.
alter table connectors add column templates_retried_at bigint;

-- Since when the identifier is no longer the person's: they have changed their phone number.
alter table contact_identifiers add column ended_at bigint;

-- Whether templates may be sent after the window has closed.
alter table channels add column window_templates boolean not null default false;
update channels ch set window_templates = true
  where exists (select from connectors c
    where c.account_id = ch.account_id and c.channel_id = ch.id and c.kind = 'whatsapp_cloud');
