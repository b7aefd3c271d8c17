/** Search by meaning: the provider that makes vectors of passages and questions. */
import type { Static } from 'typebox';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const embeddingProviders = ['openai-compatible'] as const;
/** What a response shows instead of the key. */
export const hiddenKey = '********';

const embeddingStates = ['off', 'working', 'ready', 'problem'] as const;

const Embedding = Type.Object({
  enabled: Type.Boolean({ description: 'While it is false, the provider is not called.' }),
  provider: choice(embeddingProviders),
  baseUrl: Type.String(),
  model: Type.String(),
  apiKey: nullable(Type.String({ description: `\`${hiddenKey}\`; null: there is none.` })),
  state: choice(embeddingStates, {
    description:
      '`off`: not enabled. `working`: some passages have no vector yet. `problem`: the provider failed; it is tried again.',
  }),
  problem: nullable(Type.String({ description: 'Why the last call failed.' })),
  passages: Type.Integer({ description: 'How many there are.' }),
  embedded: Type.Integer({ description: 'How many of them have a vector of this model.' }),
  refused: Type.Integer({ description: 'How many the provider does not take. They are ranked by words.' }),
});
export type Embedding = Static<typeof Embedding>;

export const KnowledgeSettings = Type.Object({ embedding: nullable(Embedding) });
export type KnowledgeSettings = Static<typeof KnowledgeSettings>;

const EmbeddingUpdate = Type.Partial(
  Type.Object({
    enabled: Type.Boolean({ description: 'True unless it is given.' }),
    provider: choice(embeddingProviders),
    baseUrl: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        'With its version path: `/embeddings` is added. Needs the permission `webhooks.manage` as well.',
      examples: ['https://api.openai.com/v1'],
    }),
    model: Type.String({ minLength: 1, maxLength: limits.nameLength, examples: ['text-embedding-3-small'] }),
    apiKey: nullable(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description: `It belongs to the origin of \`baseUrl\`: another origin removes it, unless the same request brings a key. \`${hiddenKey}\` keeps it, null removes it.`,
      }),
    ),
  }),
);
export type EmbeddingUpdate = Static<typeof EmbeddingUpdate>;

export const KnowledgeSettingsUpdate = Type.Object({
  embedding: Type.Optional(
    nullable(
      Type.Object(EmbeddingUpdate.properties, {
        description:
          'The first time with `provider`, `baseUrl` and `model`. What is left out stays. null: the key and all vectors are removed.',
      }),
    ),
  ),
});
export type KnowledgeSettingsUpdate = Static<typeof KnowledgeSettingsUpdate>;
