/** Every event's name and the shape of its body. `data` is specific to the event. */
export const crmEvents = ['crm_field_update', 'crm_record_created', 'crm_record_deleted'] as const;
export const sessionEvents = ['ai_pause', 'note_created', 'note_updated', 'note_deleted'] as const;
export const webhookEvents = [...crmEvents, ...sessionEvents] as const;
export const messageEvents = ['message_created', 'message_transcribed'] as const;

export type WebhookEvent = (typeof webhookEvents)[number];
export type EventName = WebhookEvent | (typeof messageEvents)[number] | 'webhook_test';

export interface EventBody {
  id: string;
  event: EventName;
  timestamp: number;
  accountId: string;
  /** Counts from 1 per record (CRM events) or session (all others). */
  sequence: number;
  data: object;
}

export interface ChangedBy {
  id: string;
  name: string;
}
