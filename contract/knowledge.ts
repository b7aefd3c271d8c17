/** Knowledge of an account: sources, documents with their versions, passages, and the search over them. */
import type { Static } from 'typebox';
import { knowledgeFileTypes, limits } from './limits.ts';
import { pageQuery } from './shapes/paging.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

/** Websites will be a further kind. */
const sourceKinds = ['articles', 'files'] as const;
const sourceStates = ['idle', 'syncing', 'problem'] as const;
const documentStates = ['draft', 'published', 'failed', 'gone'] as const;
const writableStates = ['draft', 'published'] as const;
const audiences = ['public', 'internal'] as const;

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
export const Language = Type.String({
  pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$',
  description: 'A language tag, such as `en` or `pt-BR`.',
  examples: ['en'],
});
const SourceKind = choice(sourceKinds);
const Audience = choice(audiences, {
  description: '`internal` documents are for people of the account and for agents that may use them.',
});
const WritableState = Type.Unsafe<(typeof writableStates)[number]>({
  type: 'string',
  enum: [...writableStates],
  description: '`published` puts the newest version into use.',
});

export const KnowledgeSource = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: SourceKind,
  language: nullable(Type.String({ description: 'Of new documents that name none.' })),
  settings: Type.Object({}, { description: 'Sources of articles and of files have none.' }),
  state: choice(sourceStates),
  problem: nullable(Type.String()),
  counts: Type.Object({
    published: Type.Integer(),
    draft: Type.Integer(),
    failed: Type.Integer(),
    gone: Type.Integer(),
  }),
  lastRunId: nullable(Type.String()),
  nextSyncAt: nullable(Type.Number()),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type KnowledgeSource = Static<typeof KnowledgeSource>;

export const KnowledgeSourceCreate = Type.Object({
  name: Name,
  kind: SourceKind,
  language: Type.Optional(nullable(Language)),
});
export type KnowledgeSourceCreate = Static<typeof KnowledgeSourceCreate>;
export const KnowledgeSourceUpdate = Type.Object({
  name: Type.Optional(Name),
  language: Type.Optional(nullable(Language)),
});
export type KnowledgeSourceUpdate = Static<typeof KnowledgeSourceUpdate>;

export const KnowledgeDocument = Type.Object({
  id: Type.String(),
  sourceId: Type.String(),
  title: Type.String({
    description: 'Of the published version, or of the newest one if none is. `characters` too.',
  }),
  url: nullable(
    Type.String({ description: 'Where the document is on a website; null for articles and files.' }),
  ),
  language: Type.String(),
  state: choice(documentStates),
  version: Type.Integer({ description: 'The newest one; 0: the file has not been read.' }),
  publishedVersion: nullable(Type.Integer({ description: 'The one in use; null: none.' })),
  characters: Type.Integer({ description: 'UTF-16 code units of the text.' }),
  problem: nullable(Type.String({ description: 'Why a file could not be read.' })),
  updatedAt: Type.Number(),
  updatedBy: Type.String({ description: 'The id of the user or token that changed it last.' }),
  audience: Audience,
  collectionId: nullable(Type.String({ description: 'Where the help centre shows it; null: in none.' })),
  translationOf: nullable(
    Type.String({ description: 'The document that it is a translation of; null: it is none.' }),
  ),
});
export type KnowledgeDocument = Static<typeof KnowledgeDocument>;

export const KnowledgeDocumentWithText = Type.Object({
  ...KnowledgeDocument.properties,
  text: Type.String({ description: 'Markdown.' }),
});
export type KnowledgeDocumentWithText = Static<typeof KnowledgeDocumentWithText>;

export const KnowledgeDocumentsQuery = Type.Object({
  sourceId: Type.Optional(Type.String({ description: 'Only documents of this source.' })),
  state: Type.Optional(choice(documentStates)),
  q: Type.Optional(
    Type.String({
      maxLength: limits.titleLength,
      description: 'Only documents whose title contains this, without regard to case.',
    }),
  ),
  ...pageQuery(limits.listPage),
});
export type KnowledgeDocumentsQuery = Static<typeof KnowledgeDocumentsQuery>;

const Title = Type.String({ minLength: 1, maxLength: limits.titleLength });
const placeInHelpCenter = {
  collectionId: Type.Optional(
    nullable(Type.String({ description: 'A collection of the account; null: none.' })),
  ),
  translationOf: Type.Optional(
    nullable(
      Type.String({
        description:
          'The original, in another language. Of a translation its original counts; a document that has translations itself cannot be one (409).',
      }),
    ),
  ),
};
const Text = Type.String({ maxLength: limits.articleLength, description: 'Markdown.' });

export const KnowledgeDocumentCreate = Type.Object({
  sourceId: Type.String({ description: 'A source of the kind `articles`.' }),
  title: Title,
  text: Text,
  language: Type.Optional(Language),
  audience: Type.Optional(Audience),
  state: Type.Optional(WritableState),
  ...placeInHelpCenter,
});
export type KnowledgeDocumentCreate = Static<typeof KnowledgeDocumentCreate>;

export const KnowledgeDocumentReplace = Type.Object({
  title: Title,
  text: Text,
  state: Type.Optional(WritableState),
  expectedVersion: Type.Integer({
    minimum: 1,
    description: 'The newest version that the caller knows; another one is a 409 `CONFLICT`.',
  }),
});
export type KnowledgeDocumentReplace = Static<typeof KnowledgeDocumentReplace>;

export const KnowledgeDocumentUpdate = Type.Object({
  audience: Type.Optional(Audience),
  language: Type.Optional(Language),
  state: Type.Optional(WritableState),
  ...placeInHelpCenter,
});
export type KnowledgeDocumentUpdate = Static<typeof KnowledgeDocumentUpdate>;

const fileProperties = {
  fileName: Type.String({ minLength: 1, maxLength: limits.fileNameLength, examples: ['prices.pdf'] }),
};
export const KnowledgeUpload = Type.Object({
  ...fileProperties,
  contentType: Type.String({
    minLength: 1,
    maxLength: limits.nameLength,
    description: `One of ${Object.values(knowledgeFileTypes).flat().join(', ')}. A name that ends with .md or .csv says more than text/plain.`,
    examples: ['application/pdf'],
  }),
  size: Type.Integer({ minimum: 1, description: 'In bytes.', examples: [5] }),
});
export type KnowledgeUpload = Static<typeof KnowledgeUpload>;

export const KnowledgeFileCreate = Type.Object({
  fileKey: Type.String({ description: 'Of an upload to this account that no document has.' }),
  ...fileProperties,
});
export type KnowledgeFileCreate = Static<typeof KnowledgeFileCreate>;

export const KnowledgeVersionQuery = Type.Object({
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.order.max,
      description: 'Without it: the published version, or the newest one if none is.',
    }),
  ),
});

export const KnowledgeVersionsQuery = Type.Object(pageQuery(limits.listPage));
export const KnowledgeVersion = Type.Object({
  version: Type.Integer(),
  title: Type.String(),
  characters: Type.Integer(),
  isPublished: Type.Boolean({ description: 'Whether it is the one in use.' }),
  createdAt: Type.Number(),
  createdBy: Type.String(),
});
export type KnowledgeVersion = Static<typeof KnowledgeVersion>;

export const KnowledgePassagesQuery = Type.Object({
  ...KnowledgeVersionQuery.properties,
  ...pageQuery(limits.listPage),
});
export const KnowledgePassage = Type.Object({
  number: Type.Integer({ description: 'From 0, in the order of the text.' }),
  version: Type.Integer(),
  heading: nullable(
    Type.String({ description: 'The headings above it, joined by ` > `; null: there are none.' }),
  ),
  start: Type.Integer({ description: 'A UTF-16 position in the text of the version.' }),
  end: Type.Integer(),
  excerpt: Type.String({ description: 'The text from `start` to `end`.' }),
});
export type KnowledgePassage = Static<typeof KnowledgePassage>;

export const KnowledgeSearchBody = Type.Object({
  q: Type.String({
    maxLength: 2_000,
    description:
      'A question or words. Of a longer one the first 1,000 characters and 32 different words count.',
    examples: ['How do I return a product?'],
  }),
  sourceIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: limits.knowledgeSources,
      description: 'Only documents of these sources; unknown ids find nothing.',
    }),
  ),
  audience: Type.Optional(Audience),
  language: Type.Optional(Language),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `${limits.knowledgeSearch.default} by default, at most ${limits.knowledgeSearch.max}; a larger value counts as ${limits.knowledgeSearch.max}.`,
    }),
  ),
});
export type KnowledgeSearchBody = Static<typeof KnowledgeSearchBody>;

/** What a reply is based on. The excerpt stays when the document changes or goes. */
export const Citation = Type.Object({
  documentId: nullable(Type.String({ description: "null: of the agent's own `knowledge`." })),
  version: nullable(Type.Integer()),
  title: Type.String(),
  url: nullable(Type.String()),
  heading: nullable(Type.String()),
  start: Type.Integer({ description: 'A UTF-16 position in the text of the version.' }),
  end: Type.Integer(),
  excerpt: Type.String({ description: 'Exactly the text of that version from `start` to `end`.' }),
});
export type Citation = Static<typeof Citation>;

const FoundPassage = Type.Object({
  documentId: Type.String(),
  version: Type.Integer(),
  title: Type.String(),
  url: nullable(Type.String()),
  heading: nullable(Type.String()),
  start: Type.Integer(),
  end: Type.Integer(),
  excerpt: Type.String({ description: 'Exactly the text of that version from `start` to `end`.' }),
  sourceId: Type.String(),
  score: Type.Number({ description: 'Higher is better. Comparable within one answer only.' }),
  matched: Type.Array(Type.String(), {
    description: 'The words of the question that the passage has, in lower case and without accents.',
  }),
});
export type FoundPassage = Static<typeof FoundPassage>;
export const KnowledgeSearchAnswer = Type.Object({ passages: Type.Array(FoundPassage) });
export type KnowledgeSearchAnswer = Static<typeof KnowledgeSearchAnswer>;
