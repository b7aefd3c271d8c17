/** The `webhooks` part of the OpenAPI document: what the service sends. */

import { type EventName, eventBodySchema, eventTypes } from '../../../../contract/events.ts';
import { eventExamples } from '../../../../contract/examples/events.examples.ts';

const header = (name: string, description: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
});

const headers = [
  header('webhook-id', 'The id of the event: the same in every attempt and replay.'),
  header('webhook-timestamp', 'When this attempt was signed, in seconds.'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and a base64 HMAC-SHA256; several with a space between.',
  ),
];

export function describeWebhooks() {
  const names = Object.keys(eventTypes) as EventName[];
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        post: {
          tags: ['Events'],
          summary: eventTypes[name].when,
          security: [],
          parameters: headers,
          requestBody: {
            content: { 'application/json': { schema: eventBodySchema(name), example: eventExamples[name] } },
          },
          responses: {
            '2XX': { description: 'Received. Anything else, or no response within 15 s, is retried.' },
          },
        },
      },
    ]),
  );
}
