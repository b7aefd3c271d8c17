-- kind: expand
-- What became of the e-mail with an invitation, so that administrators see that it was refused. Null: not known, either
-- because there was none or because it is from before this column.

alter table invitations add column mail_status text;
-- The last reason why it could not be sent.
alter table invitations add column mail_problem text;
