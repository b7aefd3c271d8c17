import type { Static } from 'typebox';
import { HoursId } from './business-hours.ts';
import { Connector, ConnectorInput, ConnectorRead } from './connectors.schemas.ts';
import { Citation } from './knowledge.ts';
import { assignmentModes, channelTypes, limits } from './limits.ts';
import { ToolCall } from './messaging/messages.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
const Url = Type.String({ minLength: 1, maxLength: 2_048 });
const Ids = Type.Array(Type.String(), { maxItems: 1_000, uniqueItems: true });

export const providers = ['offline', 'openai-compatible', 'anthropic'] as const;
export type Provider = (typeof providers)[number];
export const anthropicBaseUrl = 'https://api.anthropic.com/v1';

/** The origin that an agent's key is sent to, or null if it is sent nowhere. */
export function keyOrigin({
  provider,
  baseUrl,
}: {
  provider: Provider;
  baseUrl: string | null;
}): string | null {
  const address = baseUrl ?? (provider === 'anthropic' ? anthropicBaseUrl : '');
  try {
    return new URL(address).origin;
  } catch {
    return null;
  }
}

/** What an administrator may allow an agent to do. */
export const agentTools = ['find_record', 'set_field', 'set_status', 'transfer', 'hand_over'] as const;
export type AgentTool = (typeof agentTools)[number];

const Knowledge = Type.Array(
  Type.Object({
    title: Type.String({ maxLength: 1_000 }),
    text: Type.String({ minLength: 1, maxLength: 100_000 }),
  }),
  { maxItems: 1_000 },
);
const Tools = Type.Array(choice(agentTools), { uniqueItems: true });
const AllowedKanbanIds = {
  description:
    "The boards that the agent's transfer tool may move a conversation to. Empty: the conversation's board and those of its channel's agentKanbanConfigs. A deleted board is removed from the list.",
};
const BatchWindow = Type.Integer({ minimum: 0, maximum: 60_000 });
const ToolIds = {
  description:
    "The account's tools that the agent may call, beside the built-in `tools`. A deleted tool is removed from the list.",
};
const KnowledgeSourceIds = {
  description:
    "The sources of the account's knowledge that the agent answers from. A new agent has the account's articles. A deleted source is removed from the list.",
};
const MayUseInternal = Type.Boolean({
  description: 'Whether it also answers from `internal` documents: it may then tell customers what they say.',
});
const AnswerOnlyFromKnowledge = Type.Boolean({
  description:
    'Whether a reply that cites nothing is replaced: the customer gets the text of a hand-over, and a person is asked for.',
});

/** What can be hidden from an agent's model. */
export const maskedKinds = ['email', 'phone', 'card'] as const;
export type MaskedKind = (typeof maskedKinds)[number];
const MaskForModel = Type.Array(choice(maskedKinds), {
  uniqueItems: true,
  description:
    "What the model does not see: e-mail addresses, phone numbers and card numbers in the conversation, the customer's name and id, notes and results of tools. It reads `[email-1]` instead. In its reply and in the arguments of tools the value is put back.",
});

const Limits = Type.Object(
  {
    repliesPerSession: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, description: 'Its replies in one conversation.' }),
    ),
    costPerDay: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: 1_000_000,
        description:
          'US dollars from midnight to midnight UTC. Needs a known price: `price`, or the public one of the model.',
      }),
    ),
  },
  {
    description:
      'Checked before each reply. At a limit the conversation is handed over, and those who manage agents are notified once a day. Replies that are being made may exceed it.',
  },
);
export type AgentLimits = Static<typeof Limits>;
const BlockedPatterns = Type.Array(Type.String({ minLength: 1, maxLength: limits.blockedPatternLength }), {
  maxItems: limits.blockedPatterns,
  uniqueItems: true,
  description:
    'What the agent must never say: regular expressions in the syntax of RE2. A reply that has one is held for a person.',
});

export const gateModes = ['off', 'warn', 'block'] as const;
const PublishGate = Type.Object(
  {
    mode: choice(gateModes, {
      description:
        '`block`: a draft, or a change of settings that make a version, is published only after a run of all test cases with these very settings that passed, and in which no case has changed since: else 409 `TESTS_FAILED`. `warn` is for the dashboard alone.',
    }),
    minPassRate: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The share of the cases that must pass.',
    }),
    noNewFailures: Type.Boolean({
      description: 'No case may fail that the published settings pass: the run needs them as its `baseline`.',
    }),
  },
  {
    description:
      'What publishing needs. It is no part of a version. Loosening it needs the permission `agents.force_publish`. Going back to an earlier version is always allowed.',
  },
);
export type PublishGate = Static<typeof PublishGate>;

const dollarsPerMillion = Type.Number({ minimum: 0, maximum: 100_000 });
const Price = Type.Object(
  { input: dollarsPerMillion, output: dollarsPerMillion },
  {
    description:
      'What a million tokens cost in US dollars, where it is not what the provider asks publicly. Null: the public price.',
  },
);

export const Agent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  provider: choice(providers),
  model: nullable(Type.String()),
  baseUrl: nullable(Type.String()),
  hasApiKey: Type.Boolean({ description: 'The key itself is never returned.' }),
  instructions: Type.String(),
  knowledge: Knowledge,
  tools: Tools,
  batchWindowMs: Type.Integer(),
  allowedKanbanIds: Type.Array(Type.String(), AllowedKanbanIds),
  toolIds: Type.Array(Type.String(), ToolIds),
  knowledgeSourceIds: Type.Array(Type.String(), KnowledgeSourceIds),
  mayUseInternal: MayUseInternal,
  answerOnlyFromKnowledge: AnswerOnlyFromKnowledge,
  price: nullable(Price),
  maskForModel: MaskForModel,
  limits: Limits,
  blockedPatterns: BlockedPatterns,
  publishGate: PublishGate,
  version: Type.Integer({ description: 'Of its settings. Each change of them makes a new one.' }),
  hasDraft: Type.Boolean({ description: 'Whether changes are saved that are not published.' }),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Agent = Static<typeof Agent>;
const ForManagers = { description: 'Only for those who may manage agents.' };
/** As read: the instructions of an agent and the address of its model, only for those who manage agents. */
export const AgentRead = Type.Object({
  ...Agent.properties,
  baseUrl: Type.Optional(nullable(Type.String(ForManagers))),
  instructions: Type.Optional(Type.String(ForManagers)),
  knowledge: Type.Optional(Knowledge),
  blockedPatterns: Type.Optional(BlockedPatterns),
});
export type AgentRead = Static<typeof AgentRead>;

export const AgentCreate = Type.Object({
  name: Name,
  provider: choice(providers),
  model: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: limits.nameLength }))),
  baseUrl: Type.Optional(nullable(Url)),
  apiKey: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 10_000 }))),
  instructions: Type.Optional(Type.String({ maxLength: 100_000 })),
  knowledge: Type.Optional(Knowledge),
  tools: Type.Optional(Tools),
  batchWindowMs: Type.Optional(BatchWindow),
  allowedKanbanIds: Type.Optional(
    Type.Array(Type.String(), { maxItems: 1_000, uniqueItems: true, ...AllowedKanbanIds }),
  ),
  toolIds: Type.Optional(
    Type.Array(Type.String(), { maxItems: limits.tools.perAgent, uniqueItems: true, ...ToolIds }),
  ),
  knowledgeSourceIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: limits.knowledgeSources,
      uniqueItems: true,
      ...KnowledgeSourceIds,
    }),
  ),
  mayUseInternal: Type.Optional(MayUseInternal),
  answerOnlyFromKnowledge: Type.Optional(AnswerOnlyFromKnowledge),
  price: Type.Optional(nullable(Price)),
  maskForModel: Type.Optional(MaskForModel),
  limits: Type.Optional(Limits),
  blockedPatterns: Type.Optional(BlockedPatterns),
  publishGate: Type.Optional(PublishGate),
});
export type AgentCreate = Static<typeof AgentCreate>;
export const AgentUpdate = Type.Partial(AgentCreate, {
  description:
    'A change of `baseUrl` or `provider` that would send the key to another origin (scheme, host or port) removes the stored key, unless the same request sets `apiKey`.',
});
export type AgentUpdate = Static<typeof AgentUpdate>;

/** A test conversation: nothing is stored, and no tool touches a record. */
export const AgentTry = Type.Object({
  messages: Type.Array(
    Type.Object({
      role: choice(['user', 'assistant']),
      content: Type.String({ minLength: 1, maxLength: limits.messageLength }),
    }),
    { minItems: 1, maxItems: 100, description: 'Oldest first; the last one is answered.' },
  ),
  version: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: limits.order.max }), Type.Literal('draft')], {
      description: 'Left out: the published one. `draft` without a draft: 409 `NO_DRAFT`.',
    }),
  ),
});
export type AgentTry = Static<typeof AgentTry>;
export const AgentTryAnswer = Type.Object({
  text: nullable(Type.String()),
  handover: Type.Boolean({ description: 'Whether a person would take over in a real conversation.' }),
  failure: nullable(Type.String({ description: 'Why the model gave no answer.' })),
  latencyMs: Type.Integer(),
  inputTokens: nullable(Type.Integer()),
  outputTokens: nullable(Type.Integer()),
  citations: Type.Array(Citation, { description: 'What the answer is based on.' }),
  toolCalls: Type.Array(ToolCall, {
    description: 'What the agent wanted to call. Nothing was called, except that a person would take over.',
  }),
});
export type AgentTryAnswer = Static<typeof AgentTryAnswer>;

const AgentKanbanConfigs = Type.Record(Type.String(), Type.String(), {
  description: 'Maps agent ids to the id of the kanban that the agent works on.',
});
const Settings = Type.Record(Type.String(), Type.Unknown());

const assignment = {
  mode: choice(assignmentModes),
  teamId: nullable(Type.String({ description: 'Only its members get conversations; null: everyone.' })),
};
const Assignment = Type.Object(assignment, {
  description:
    'How an open conversation without an owner gets one when it needs a person (`needsAttention` or `aiPaused`): not at all, in turn, or the user with the fewest open conversations. Only users who are connected, available and below their capacity get one.',
});
export type Assignment = Static<typeof Assignment>;

export const Channel = Type.Object({
  id: Type.String(),
  name: Type.String(),
  identifier: Type.String({ description: 'What POST /messages calls fromChannelIdentifier.' }),
  type: choice(channelTypes),
  enabled: Type.Boolean({
    description: 'While false, its connector stops and sends are 409 CHANNEL_DISABLED. The history stays.',
  }),
  defaultAgentId: Type.String(),
  allowedAgentIds: Type.Array(Type.String()),
  agentKanbanConfigs: AgentKanbanConfigs,
  webhookUrl: nullable(Type.String()),
  forwardIncoming: Type.Boolean(),
  settings: Settings,
  assignment: Assignment,
  hoursId: HoursId,
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Channel = Static<typeof Channel>;
/** With its connector, whose state is not part of the configuration. */
export const ChannelWithConnector = Type.Object({
  ...Channel.properties,
  connector: nullable(Connector),
});
export type ChannelWithConnector = Channel & { connector: Connector | null };
/** As read: operators, and tokens without `manage`, get neither webhookUrl nor settings that may contain a secret. */
export const ChannelRead = Type.Object({
  ...Channel.properties,
  webhookUrl: Type.Optional(
    nullable(Type.String({ description: 'Only for administrators and tokens with `manage`.' })),
  ),
  settings: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Operators, and tokens without `manage`, get only `transcribe`.',
  }),
  connector: nullable(ConnectorRead),
});
export type ChannelRead = Omit<Static<typeof ChannelRead>, 'connector'> & { connector: ConnectorRead | null };
export const ChannelCreated = Type.Object({
  ...ChannelWithConnector.properties,
  webhookSecret: Type.String({ description: 'Signs the message webhooks; shown only once.' }),
});
export const ChannelCreate = Type.Object({
  name: Name,
  identifier: Name,
  type: choice(channelTypes),
  enabled: Type.Optional(Type.Boolean()),
  defaultAgentId: Type.String(),
  allowedAgentIds: Type.Optional(Ids),
  agentKanbanConfigs: Type.Optional(AgentKanbanConfigs),
  webhookUrl: Type.Optional(nullable(Url)),
  forwardIncoming: Type.Optional(Type.Boolean()),
  settings: Type.Optional(Settings),
  assignment: Type.Optional(Type.Partial(Type.Object(assignment))),
  hoursId: Type.Optional(HoursId),
  connector: Type.Optional(nullable(ConnectorInput)),
});
export type ChannelCreate = Static<typeof ChannelCreate>;
export const ChannelUpdate = Type.Partial(ChannelCreate);
export type ChannelUpdate = Static<typeof ChannelUpdate>;
export const ConnectionQuery = Type.Object({
  check: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Ask the provider first, with the `connector` of the body. If it refuses the connection or cannot be reached, nothing is saved: 409 CONNECTION_REFUSED, with what it said as the message.',
    }),
  ),
});
export const WebhookSecretAnswer = Type.Object({ webhookSecret: Type.String() });
