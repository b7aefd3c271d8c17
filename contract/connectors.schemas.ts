/** What the API takes and answers about connectors. */
import type { Static, TSchema } from 'typebox';
import { connectorKinds, connectorStates } from './connectors.ts';
import { pageOf } from './shapes/paging.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

/** Each kind has its own settings and credentials, which are checked when the kind is known. */
export const ConnectorInput = Type.Object(
  {
    kind: Type.Optional(
      choice(connectorKinds, { description: 'Required unless the channel has a connector already.' }),
    ),
    credentials: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Encrypted and never returned. In a change, those left out stay as they are. Those of a server whose address changed (`apiBase`: scheme, host or port; `imap` and `smtp`: host, port or tls) are required again.',
      }),
    ),
  },
  {
    additionalProperties: true,
    description:
      'Connects the channel to its provider. The settings of its kind stand beside `kind`. In a change, those left out stay as they are; null removes the connector.',
  },
);
export type ConnectorInput = Static<typeof ConnectorInput> & { [setting: string]: unknown };

const time = (description: string) => nullable(Type.Number({ description }));
const kind = choice(connectorKinds);
const state = choice(connectorStates);

export const Connector = Type.Object(
  {
    kind,
    hasCredentials: Type.Boolean({ description: 'The credentials themselves are never returned.' }),
    state,
    lastError: nullable(Type.String({ description: 'A sentence for a person.' })),
    lastInboundAt: time('Unix epoch milliseconds.'),
    lastOutboundAt: time('Unix epoch milliseconds.'),
    inboundUrl: Type.String({ description: 'Where the provider delivers.' }),
    rejected: Type.Optional(
      Type.Object(
        { count: Type.Integer(), lastAt: Type.Number({ description: 'Unix epoch milliseconds.' }) },
        {
          description:
            'Requests to `inboundUrl` with a wrong signature since the connector was saved. Missing without any.',
        },
      ),
    ),
  },
  { additionalProperties: true, description: 'The settings of its kind stand beside these.' },
);
export type Connector = Static<typeof Connector> & { [setting: string]: unknown };

/** What operators, and tokens without `manage`, see: the kind, the state, and address and signature of a mailbox. */
export const ConnectorRead = Type.Object(
  { ...(Type.Partial(Connector).properties as Record<string, TSchema>), kind, state },
  {
    additionalProperties: true,
    description:
      'Operators, and tokens without `manage`, get `kind` and `state`, and of a mailbox its `address` and `signature`.',
  },
);
export type ConnectorRead = Connector | Pick<Connector, 'kind' | 'state'>;

export const ConnectorCheck = Type.Object({
  ok: Type.Boolean(),
  detail: Type.String({ description: 'What the provider answered, as a sentence.' }),
});
export type ConnectorCheck = Static<typeof ConnectorCheck>;

export const ConnectorScan = Type.Object({
  state,
  qr: nullable(Type.String({ description: 'A data URL of a picture.' })),
  pairingCode: nullable(Type.String()),
});
export type ConnectorScan = Static<typeof ConnectorScan>;

const connectorLogStates = ['waiting', 'done', 'dropped', 'failed'] as const;
export const ConnectorLogEntry = Type.Object({
  id: Type.String(),
  direction: choice(['in', 'out']),
  at: Type.Number({ description: 'Unix epoch milliseconds.' }),
  state: choice(connectorLogStates),
  customer: nullable(Type.String()),
  summary: Type.String({ description: 'The beginning of the text, or what it is.' }),
  reason: nullable(Type.String({ description: 'Why it failed, waits or was dropped.' })),
  messageId: nullable(Type.String()),
  sessionId: nullable(Type.String({ description: 'The conversation of the message, where there is one.' })),
  canRetry: Type.Boolean(),
});
export type ConnectorLogEntry = Static<typeof ConnectorLogEntry>;
export const ConnectorLogPage = pageOf(ConnectorLogEntry);
