import { type Static, Type } from 'typebox';
import { limits } from './limits.ts';
import { Record } from './records.ts';
import { nullable } from './values.ts';

export const SearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({ description: 'Every word must match: as a substring, or with up to 2 typos.' }),
  ),
  kanbanId: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  page: Type.Optional(Type.Integer({ minimum: 1 })),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `${limits.searchPage.default} by default, at most ${limits.searchPage.max}.`,
    }),
  ),
  customFieldId: Type.Optional(
    Type.String({ description: 'With customFieldValue: exact look-up; all else is ignored.' }),
  ),
  customFieldValue: Type.Optional(Type.String()),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const FoundRecord = Type.Object({
  ...Record.properties,
  match: Type.Optional(
    Type.Object({
      typos: Type.Integer(),
      fields: Type.Array(Type.String(), { description: 'What matched: "title" or field ids.' }),
    }),
  ),
});
export type FoundRecord = Static<typeof FoundRecord>;

export const SearchAnswer = Type.Object({
  items: Type.Array(FoundRecord),
  total: Type.Integer(),
  page: Type.Integer(),
  pageSize: Type.Integer(),
  totalPages: Type.Integer(),
});
export type SearchAnswer = Static<typeof SearchAnswer>;

export const AggregationsAnswer = Type.Object({
  status: Type.Array(Type.Object({ key: Type.String(), count: Type.Integer() })),
});

export const SuggestQuery = Type.Object({
  q: Type.String(),
  kanbanId: Type.Optional(Type.String()),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `${limits.suggestPage.default} by default, at most ${limits.suggestPage.max}.`,
    }),
  ),
});
export const Suggestion = Type.Object({
  text: Type.String(),
  recordId: Type.String(),
  kanbanId: Type.String(),
  fieldId: nullable(Type.String()),
});
export type Suggestion = Static<typeof Suggestion>;
export const SuggestAnswer = Type.Object({ suggestions: Type.Array(Suggestion) });
