-- kind: expand
-- What publishing an agent needs: {"mode", "minPassRate", "noNewFailures"}. No part of its versions.
alter table agents add column publish_gate jsonb not null
  default '{"mode": "off", "minPassRate": 1, "noNewFailures": false}';
