/** CSV import and export of records: the query, the columns and the lines of the response. */
import type { Static } from 'typebox';
import { filterQuery } from './filter-query.ts';
import { Type } from './type.ts';

/** The columns of an export, in order; the fields of the board follow. */
export const recordColumns = [
  'recordId',
  'title',
  'status',
  'assignedUserIds',
  'channelId',
  'createdAt',
  'updatedAt',
  'labelNames',
] as const;
export type RecordColumn = (typeof recordColumns)[number];

/** Set by the service: an import accepts these columns and ignores them, so that an export can be imported. */
export const ignoredColumns: readonly RecordColumn[] = ['recordId', 'createdAt', 'updatedAt'];

export const ImportQuery = Type.Object({
  kanbanId: Type.Optional(Type.String({ description: 'The default kanban when omitted.' })),
});

/** No type: the body is a stream of bytes that the importer reads. */
export const ImportBody = Type.Unsafe<unknown>({
  description:
    'UTF-8, with or without a byte order mark. The header row names the columns: title (required), status, channelId, assignedUserIds (ids or e-mail addresses separated by ;), labelNames (separated by ;), and fields by their name or id. recordId, createdAt and updatedAt are accepted and ignored. An empty cell leaves its value unset.',
  examples: ['title,status,E-mail\r\nAda Lovelace,,ada@example.com\r\n'],
});

export const ImportRowResult = Type.Object({
  row: Type.Integer({ description: 'Counts from 1, without the header row.' }),
  status: Type.Integer({
    description: 'The status that POST /crm/records would have: 201, 200 for an existing record, 400 …',
  }),
  recordId: Type.Optional(Type.String({ description: 'The id of the created or existing record.' })),
  error: Type.Optional(Type.String({ description: 'What is wrong with the row.' })),
  code: Type.Optional(Type.String()),
});
export type ImportRowResult = Static<typeof ImportRowResult>;

export const ImportSummary = Type.Object({
  summary: Type.Object({
    rows: Type.Integer({ description: 'Rows processed.' }),
    created: Type.Integer(),
    existing: Type.Integer({ description: 'Rows whose channelId and title match an existing record.' }),
    failed: Type.Integer(),
    complete: Type.Boolean({ description: 'false: the import ended before the last row; see stopped.' }),
    ignoredColumns: Type.Array(Type.String()),
    stopped: Type.Optional(
      Type.Object({
        row: Type.Integer({
          description: 'The row at which the import stopped; later rows were not processed.',
        }),
        status: Type.Integer(),
        error: Type.String(),
        code: Type.String(),
      }),
    ),
  }),
});
export type ImportSummary = Static<typeof ImportSummary>;

/** Both responses are streams of text; the schemas describe their lines. */
export const ImportLine = Type.Unsafe<unknown>(Type.Union([ImportRowResult, ImportSummary]));
export const ExportFile = Type.Unsafe<unknown>(Type.String());

export const ExportQuery = Type.Object({
  names: Type.Optional(
    Type.Boolean({
      description:
        'true: people read the file. It has the labels of statuses and the names of users instead of their values and ids.',
    }),
  ),
  kanbanId: Type.Optional(Type.String({ description: 'The default kanban when omitted.' })),
  status: Type.Optional(Type.String()),
  assignedUserId: Type.Optional(Type.String()),
  fieldId: Type.Optional(Type.String({ description: 'With fieldValue: the exact value of a field.' })),
  fieldValue: Type.Optional(Type.String()),
  ...filterQuery,
  q: Type.Optional(
    Type.String({
      description: 'Text, found as by GET /crm/search; 400 where it finds 10,000 records or more.',
    }),
  ),
});
export type ExportQuery = Static<typeof ExportQuery>;
