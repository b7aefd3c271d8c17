-- kind: expand
-- What an agent's model does not see: email, phone, card.
alter table agents add column mask_for_model text[] not null default '{}';
