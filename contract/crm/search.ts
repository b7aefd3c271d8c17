import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { filterQuery } from '../shapes/filter-query.ts';
import { Type } from '../shapes/type.ts';
import { nullable } from '../shapes/values.ts';
import { CrmRecord } from './records.ts';

export const SearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Searches the title and fields of the types text, email, phone, url, select and multiselect. Every word must match: as a substring, or with typos (1 from 3 characters on, 2 from 6 on). Without it: all records.',
    }),
  ),
  kanbanId: Type.Optional(
    Type.String({ description: 'Only records of this board; none of an unknown one.' }),
  ),
  status: Type.Optional(Type.String({ description: 'Only records of this status.' })),
  ...filterQuery,
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'From 1; empty beyond the end.' })),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `${limits.searchPage.default} by default, at most ${limits.searchPage.max}.`,
    }),
  ),
  customFieldId: Type.Optional(
    Type.String({
      description:
        'With customFieldValue: exact lookup; all other parameters except filter and sort are ignored.',
    }),
  ),
  customFieldValue: Type.Optional(
    Type.String({ description: 'Compared as text, case-insensitive; for fields of any type.' }),
  ),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const FoundRecord = Type.Object({
  ...CrmRecord.properties,
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
  q: Type.String({ description: 'What is being typed; matches as in /crm/search.' }),
  kanbanId: Type.Optional(Type.String({ description: 'Only values of this board.' })),
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
