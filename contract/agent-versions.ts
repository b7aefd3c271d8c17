/** Versions of an agent's settings, and the draft of the next one. */
import type { Static } from 'typebox';
import { Agent, AgentCreate, type Agent as AgentShape } from './channels.ts';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

/** What a version has. The key of the model's provider is no part of it. */
export const versionedFields = [
  'name',
  'provider',
  'model',
  'baseUrl',
  'instructions',
  'knowledge',
  'tools',
  'toolIds',
  'batchWindowMs',
  'allowedKanbanIds',
  'knowledgeSourceIds',
  'mayUseInternal',
  'answerOnlyFromKnowledge',
  'price',
  'maskForModel',
  'limits',
  'blockedPatterns',
] as const satisfies readonly (keyof AgentShape)[];
export type VersionedField = (typeof versionedFields)[number];
export type AgentContent = Pick<AgentShape, VersionedField>;

const {
  id: _id,
  hasApiKey,
  version: _version,
  hasDraft: _draft,
  publishGate: _gate,
  createdAt,
  updatedAt,
  ...content
} = Agent.properties;
const Field = choice(versionedFields);
const Version = Type.Integer({ minimum: 1, maximum: limits.order.max });
const Note = Type.String({ maxLength: limits.versionNote });

const { apiKey, publishGate: _setGate, ...fields } = AgentCreate.properties;
export const AgentDraftWrite = Type.Partial(
  Type.Object({
    ...fields,
    apiKey,
    expectedVersion: Type.Integer({
      ...Version,
      description: 'The version of the agent that the caller knows; another one is a 409 `CONFLICT`.',
    }),
  }),
  {
    description:
      'Fields that are left out are as published. `apiKey` only for a draft that sends it to another origin (scheme, host or port) than the published agent does: it replaces the key when the draft is published.',
  },
);
export type AgentDraftWrite = Static<typeof AgentDraftWrite>;

export const AgentDraft = Type.Object({
  ...content,
  hasApiKey: Type.Boolean({ description: 'Whether the agent has a key once this is published.' }),
  version: Type.Integer({ description: 'The version of the agent that the draft was made from.' }),
  isStale: Type.Boolean({
    description: 'The agent has changed since. Such a draft cannot be published until it is saved again.',
  }),
  changed: Type.Array(Field, { description: 'What differs from the published agent.' }),
  updatedAt,
  by: Type.String(),
});
export type AgentDraft = Static<typeof AgentDraft>;

export const AgentPublish = Type.Object({
  note: Type.Optional(Note),
  force: Type.Optional(Type.Object({ reason: Type.String({ minLength: 1, maxLength: limits.versionNote }) })),
});
export type AgentPublish = Static<typeof AgentPublish>;

export const AgentRollback = Type.Object({ version: Version, note: Type.Optional(Note) });
export type AgentRollback = Static<typeof AgentRollback>;
const Ids = Type.Array(Type.String());
export const AgentRolledBack = Type.Object({
  ...Agent.properties,
  leftOut: Type.Object(
    { allowedKanbanIds: Ids, toolIds: Ids, knowledgeSourceIds: Ids },
    { description: 'What the version had and has been deleted since.' },
  ),
});
export type AgentRolledBack = Static<typeof AgentRolledBack>;

export const AgentVersionEntry = Type.Object({
  version: Type.Integer(),
  publishedAt: createdAt,
  by: Type.String(),
  note: nullable(Type.String()),
  changed: Type.Array(Field, { description: 'What is different from the version before.' }),
});
export type AgentVersionEntry = Static<typeof AgentVersionEntry>;

export const AgentVersionQuery = Type.Object({
  compare: Type.Optional(
    Type.Integer({ ...Version, description: 'Another version, which `differences` begin from.' }),
  ),
});
export const AgentVersion = Type.Object({
  ...content,
  ...AgentVersionEntry.properties,
  differences: nullable(
    Type.Array(
      Type.Object({
        field: Field,
        from: Type.Any({ description: 'In the version that it is compared with.' }),
        to: Type.Any({ description: 'In this version.' }),
      }),
      { description: 'Null without `compare`.' },
    ),
  ),
});
export type AgentVersion = Static<typeof AgentVersion>;
