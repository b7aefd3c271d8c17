-- kind: expand
-- The trace that a queued row belongs to, as the text of a `traceparent` header. Null unless OpenTelemetry is switched on.

alter table events add column traceparent text;
alter table connector_inbound add column traceparent text;
alter table connector_items add column traceparent text;
alter table connector_outbound add column traceparent text;
