/** Kinds and states of connectors: what connects a channel to its provider. */
export const connectorKinds = [
  'telegram',
  'twilio',
  'evolution',
  'whatsapp_cloud',
  'messenger',
  'email',
] as const;
export type ConnectorKind = (typeof connectorKinds)[number];

export const connectorStates = [
  'connecting',
  'connected',
  'waiting_for_scan',
  'error',
  'disconnected',
] as const;
export type ConnectorState = (typeof connectorStates)[number];

/** A contact's identifiers; `web` and `external` mean something on their own channel only. */
export const identifierKinds = ['phone', 'email', 'chatapp', 'chatbot', 'web', 'external'] as const;
export type IdentifierKind = (typeof identifierKinds)[number];

/** Answered for a channel whose provider must not send now: it keeps what it has and tries again. */
export const connectorRetryAfterSeconds = 30;
