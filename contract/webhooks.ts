import type { Static } from 'typebox';
import { webhookEvents } from './events.ts';
import { limits } from './limits.ts';
import { pageQuery } from './shapes/paging.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const deliveryStatuses = ['pending', 'retrying', 'delivered', 'exhausted', 'held'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const filterRules = ['events', 'kanbanIds', 'fieldIds', 'createdLater'] as const;
export type FilterRule = (typeof filterRules)[number];

const Events = Type.Array(choice(webhookEvents), { minItems: 1, uniqueItems: true });
const Ids = Type.Array(Type.String(), { maxItems: 1_000, uniqueItems: true });
const Url = Type.String({ minLength: 1, maxLength: 2_048 });
const Description = Type.String({ maxLength: limits.descriptionLength });

export const Webhook = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  kanbanIds: Type.Array(Type.String(), { description: 'Only events of these kanbans; empty: all.' }),
  fieldIds: Type.Array(Type.String(), { description: 'Only crm_field_update of these fields; empty: all.' }),
  description: Type.String(),
  enabled: Type.Boolean(),
  disabledReason: nullable(Type.String()),
  disabledAt: nullable(Type.Number()),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Webhook = Static<typeof Webhook>;

export const WebhookCreated = Type.Object({
  ...Webhook.properties,
  secret: Type.String({ description: 'Signs every delivery; shown only once.' }),
});
export const WebhookCreate = Type.Object({
  url: Url,
  events: Events,
  kanbanIds: Type.Optional(Ids),
  fieldIds: Type.Optional(Ids),
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean()),
});
export type WebhookCreate = Static<typeof WebhookCreate>;
export const WebhookUpdate = Type.Partial(WebhookCreate);
export type WebhookUpdate = Static<typeof WebhookUpdate>;

export const SecretAnswer = Type.Object({ secret: Type.String() });

export const WebhookSettings = Type.Object({
  logDays: Type.Integer({
    minimum: 1,
    maximum: 365,
    description: 'How long events and their deliveries are kept. Undelivered events are never removed.',
  }),
});
export type WebhookSettings = Static<typeof WebhookSettings>;
export const WebhookSettingsUpdate = Type.Partial(WebhookSettings);
export type WebhookSettingsUpdate = Static<typeof WebhookSettingsUpdate>;

const Time = Type.Integer({ minimum: 0, maximum: 8.64e15 });
export const ReplayBody = Type.Object({ from: Time, to: Time });
export const ReplayAnswer = Type.Object({ count: Type.Number(), message: Type.String() });
export const QueuedAnswer = Type.Object({
  deliveryId: Type.String(),
  eventId: Type.String(),
  message: Type.String(),
});

const Attempt = Type.Object({
  at: Type.Number(),
  durationMs: Type.Number(),
  statusCode: nullable(Type.Number()),
  error: nullable(Type.String()),
  response: nullable(Type.String({ description: 'The first 4 KiB of the response.' })),
});
export const Delivery = Type.Object({
  id: Type.String(),
  eventId: Type.String(),
  event: Type.String(),
  status: choice(deliveryStatuses),
  attempts: Type.Array(Attempt),
  nextAttemptAt: nullable(Type.Number()),
  createdAt: Type.Number(),
});
export type Delivery = Static<typeof Delivery>;
export const DeliveriesQuery = Type.Object({
  status: Type.Optional(choice(deliveryStatuses)),
  ...pageQuery(limits.listPage),
});

export const Verdict = Type.Object({
  webhookId: Type.String(),
  status: choice([...deliveryStatuses, 'filtered']),
  filteredBy: Type.Optional(choice(filterRules)),
});
export type Verdict = Static<typeof Verdict>;
export const EventAnswer = Type.Object({
  id: Type.String(),
  event: Type.String(),
  timestamp: Type.Number(),
  body: Type.Unknown({ description: 'The body as JSON.' }),
  verdicts: Type.Array(Verdict),
});
