/** The built-in receiver to try webhooks with. */
import type { Static } from 'typebox';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const inboxLimits = {
  /** How long a receiver is open; opening it again restarts the time. */
  lifeMs: 60 * 60_000,
  keptRequests: 50,
  bodyBytes: 256 * 1024,
  keptBodyLength: 64 * 1024,
  perMinute: 120,
} as const;

export const signatureVerdicts = ['valid', 'invalid', 'missing', 'unknown'] as const;
export type SignatureVerdict = (typeof signatureVerdicts)[number];

export const WebhookInbox = Type.Object({
  url: Type.String({ description: 'The URL to create a webhook with. It cannot be guessed.' }),
  createdAt: Type.Number(),
  expiresAt: Type.Number(),
  webhookId: nullable(Type.String({ description: 'The newest webhook of the account that sends here.' })),
  requests: Type.Array(
    Type.Object({
      id: Type.String(),
      receivedAt: Type.Number(),
      headers: Type.Record(Type.String(), Type.String()),
      body: Type.String({ description: 'As received, cut to 65,536 characters.' }),
      size: Type.Integer({ description: 'Size of the whole body in bytes.' }),
      /** unknown: no webhook of the account sends here, so there is no secret to check with. */
      signature: choice(signatureVerdicts),
    }),
    { description: 'Latest first.' },
  ),
});
export type WebhookInbox = Static<typeof WebhookInbox>;
export const WebhookInboxAnswer = Type.Object({ inbox: nullable(WebhookInbox) });
