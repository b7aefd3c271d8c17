-- kind: expand
-- Written by a rule: operator_id and operator_name are those of the rule. No rewrite: the default is stored once.
alter table messages add column by_rule boolean not null default false;
