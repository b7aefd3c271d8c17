-- kind: expand
-- What a test gives a model, byte for byte: jsonb would sort the properties of a card.
alter table agent_test_cases alter column input type json;
alter table agent_test_results alter column input type json;
