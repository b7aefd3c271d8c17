/** Knowledge of an account: sources, documents with their versions, passages, and the search over them. */
import type { Static } from 'typebox';
import { knowledgeFileTypes, limits } from './limits.ts';
import { pageQuery } from './shapes/paging.ts';
import { patterns } from './shapes/patterns.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const sourceKinds = ['articles', 'website', 'files'] as const;
const sourceStates = ['idle', 'syncing', 'problem'] as const;
const documentStates = ['draft', 'published', 'failed', 'gone'] as const;
const writableStates = ['draft', 'published'] as const;
const audiences = ['public', 'internal'] as const;

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
export const Language = Type.String({
  pattern: patterns.languageTag,
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

const { website } = limits;
const schedules = ['never', 'daily', 'weekly'] as const;
const publishings = ['automatic', 'review'] as const;
/** What a response shows instead of the value of a header. */
export const hiddenHeader = '********';

const addresses = (description: string, minItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: website.addressLength }), {
    minItems,
    maxItems: website.addresses,
    description,
  });
const prefixes = (description: string) =>
  Type.Array(Type.String({ pattern: patterns.path, maxLength: website.addressLength }), {
    maxItems: website.prefixes,
    description: `${description} \`/help\` is \`/help\` and everything below \`/help/\`, not \`/helpdesk\`.`,
  });
const websiteSettings = {
  startUrls: addresses(
    'Where reading begins. Only pages with the scheme, host and port of one of these are read.',
    1,
  ),
  sitemapUrls: addresses(
    'On the hosts of `startUrls`. Without any: those that robots.txt names, else `/sitemap.xml`.',
    0,
  ),
  include: prefixes('Paths that are read; empty: all.'),
  exclude: prefixes('Paths that are not read.'),
  maxPages: Type.Integer({
    minimum: 1,
    maximum: website.pages.max,
    description: `How many addresses a run requests; ${website.pages.default} by default.`,
  }),
  maxDepth: Type.Integer({
    minimum: 0,
    maximum: website.depth.max,
    description: `How many links are followed from a page to begin with; ${website.depth.default} by default.`,
  }),
  schedule: choice(schedules, { description: '`never` by default.' }),
  publish: choice(publishings, {
    description:
      '`automatic` by default. Even then a run waits for a review if more than 30 % of the published documents would go.',
  }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: `For private sites: sent to the scheme, host and port of \`startUrls\` only, and removed if these change. Responses show \`${hiddenHeader}\` instead of values; sent back, it keeps the value. {} removes all.`,
  }),
};
/** Of websites; other kinds have none. */
const SourceSettings = Type.Partial(Type.Object(websiteSettings), {
  description: 'Of a website. Sources of other kinds have none.',
});
export type WebsiteSettings = Static<ReturnType<typeof wholeSettings>>;
const wholeSettings = () => Type.Object(websiteSettings);
export type WebsiteSettingsInput = Static<typeof SourceSettings>;

export const KnowledgeSource = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: SourceKind,
  language: nullable(Type.String({ description: 'Of new documents that name none.' })),
  settings: SourceSettings,
  state: choice(sourceStates, {
    description: '`syncing` while a run reads the website, `problem` if the last run failed.',
  }),
  problem: nullable(Type.String({ description: 'Why the last run failed.' })),
  counts: Type.Object({
    published: Type.Integer(),
    draft: Type.Integer(),
    failed: Type.Integer(),
    gone: Type.Integer(),
  }),
  lastRunId: nullable(Type.String({ description: 'The newest run.' })),
  nextSyncAt: nullable(Type.Number({ description: 'When the schedule starts a run; null: never.' })),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type KnowledgeSource = Static<typeof KnowledgeSource>;

export const KnowledgeSourceCreate = Type.Object({
  name: Name,
  kind: SourceKind,
  language: Type.Optional(nullable(Language)),
  settings: Type.Optional(SourceSettings),
});
export type KnowledgeSourceCreate = Static<typeof KnowledgeSourceCreate>;
export const KnowledgeSourceUpdate = Type.Object({
  name: Type.Optional(Name),
  language: Type.Optional(nullable(Language)),
  settings: Type.Optional(SourceSettings),
});
export type KnowledgeSourceUpdate = Static<typeof KnowledgeSourceUpdate>;

const runStates = ['running', 'review', 'published', 'cancelled', 'failed'] as const;
const verdicts = ['added', 'changed', 'unchanged', 'gone', 'skipped', 'failed'] as const;
export const pageReasons = [
  'robots',
  'outside',
  'no_text',
  'noindex',
  'duplicate',
  'http_error',
  'too_large',
  'timeout',
  'private_address',
  'limit',
] as const;
export type PageReason = (typeof pageReasons)[number];
export type PageVerdict = (typeof verdicts)[number];

export const KnowledgeRun = Type.Object({
  id: Type.String(),
  sourceId: Type.String(),
  state: choice(runStates, {
    description: '`review`: everything was read, and a person decides whether it is published.',
  }),
  startedAt: Type.Number(),
  endedAt: nullable(Type.Number()),
  reason: nullable(Type.String({ description: 'Why it failed, was cancelled or waits for a review.' })),
  counts: Type.Object({
    found: Type.Integer({ description: 'Addresses.' }),
    added: Type.Integer(),
    changed: Type.Integer(),
    unchanged: Type.Integer(),
    gone: Type.Integer(),
    skipped: Type.Integer(),
    failed: Type.Integer(),
  }),
});
export type KnowledgeRun = Static<typeof KnowledgeRun>;
export type RunCounts = KnowledgeRun['counts'];
export const KnowledgeRunStarted = Type.Object({ runId: Type.String() });

export const KnowledgeRunPage = Type.Object({
  url: Type.String(),
  documentId: nullable(Type.String({ description: 'Null: there is none, or not yet.' })),
  verdict: choice(verdicts),
  reasonCode: nullable(choice(pageReasons)),
  reason: nullable(Type.String({ description: 'A sentence for people.' })),
  httpStatus: nullable(Type.Integer()),
  citedBy: Type.Integer({
    description: 'Replies of the last 90 days that cited a page which is changed or gone.',
  }),
});
export type KnowledgeRunPage = Static<typeof KnowledgeRunPage>;

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
  updatedBy: Type.String({ description: 'The id of the user or token that changed it last, or `schedule`.' }),
  audience: Audience,
  collectionId: nullable(Type.String({ description: 'Where the help center shows it; null: in none.' })),
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
  collectionId: Type.Optional(
    Type.String({ description: 'Only documents of this collection; `none`: those in no collection.' }),
  ),
  translationOf: Type.Optional(Type.String({ description: 'Only translations of this document.' })),
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
    description: 'A question or words. Of a longer one the first 256 different words count.',
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
