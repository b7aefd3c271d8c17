/** Checks the body of an event against contract/events.ts: what is declared, all of it and nothing else. */
import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import { type EventName, eventBodySchema, eventTypes } from '../../contract/events.ts';

const ajv = new Ajv({ strict: false, allErrors: true });

export function assertEventBody(body: { event: string }): void {
  assert.ok(body.event in eventTypes, `${body.event} is not in contract/events.ts`);
  const validate = ajv.compile(closed(eventBodySchema(body.event as EventName)));
  assert.ok(
    validate(body),
    `${body.event}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body, null, 2)}`,
  );
}

/** Schemas allow further members; a test does not. */
function closed(schema: unknown): object {
  const copy = JSON.parse(JSON.stringify(schema), (_key, value) =>
    value?.properties && value.type ? { ...value, additionalProperties: false } : value,
  );
  return copy;
}
