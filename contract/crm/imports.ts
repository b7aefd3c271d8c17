/**
 * Stored imports: a file is uploaded and analysed, its columns are mapped, and a job writes its rows. The streamed
 * import is in csv.ts.
 */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { Reason } from '../reasons.ts';
import { pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

/** draft: may be changed and started. cancelled and failed: may be resumed where they stopped. */
export const importStates = ['draft', 'running', 'cancelled', 'failed', 'done'] as const;
export type ImportState = (typeof importStates)[number];

/** Also used for files in ISO-8859-1. */
export const importEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type ImportEncoding = (typeof importEncodings)[number];
export const importSeparators = [',', ';', '\t', '|'] as const;
export type ImportSeparator = (typeof importSeparators)[number];
/** none: quotes have no special meaning. */
const importQuotes = ['double', 'none'] as const;

/**
 * iso: 2024-05-31. dmy: 31/05/2024. mdy: 05/31/2024. Also with - or . as separator, a two-digit year, or a time after
 * it.
 */
export const importDateForms = ['iso', 'dmy', 'mdy'] as const;
export type ImportDateForm = (typeof importDateForms)[number];
/** point: 1,234.56. comma: 1.234,56. Signs of currencies are ignored. */
export const importNumberForms = ['point', 'comma'] as const;
export type ImportNumberForm = (typeof importNumberForms)[number];

export const importLooks = [
  'empty',
  'email',
  'phone',
  'url',
  'date',
  'datetime',
  'number',
  'boolean',
  'text',
] as const;
export type ImportLook = (typeof importLooks)[number];

/** What a column may become besides a field. */
export const importTargets = ['title', 'status', 'channelId', 'assignedUserIds'] as const;

/** How a column got its target: by its name, by a synonym, by its values, or by a PATCH. */
const importGuesses = ['name', 'synonym', 'values', 'chosen'] as const;

/**
 * titleAndChannel: the rule of POST /crm/records, for rows with a channelId. field: the value of a field,
 * case-insensitive.
 */
const importDuplicateRules = ['titleAndChannel', 'field'] as const;
/** create: no search for duplicates. */
export const importDuplicateActions = ['skip', 'update', 'create'] as const;

export const ImportFormat = Type.Object({
  encoding: choice(importEncodings),
  byteOrderMark: Type.Boolean(),
  separator: choice(importSeparators),
  quotes: choice(importQuotes),
  headerRow: Type.Boolean({ description: 'The first row names the columns.' }),
});
export type ImportFormat = Static<typeof ImportFormat>;

export const ImportColumn = Type.Object({
  index: Type.Integer({ description: 'Position in the file, from 0.' }),
  name: Type.String({ description: 'The name in the file; "Column 3" if it has none.' }),
  samples: Type.Array(Type.String(), {
    description: 'Up to five different values, each cut to 100 characters.',
  }),
  looksLike: choice(importLooks),
  target: nullable(
    Type.String({
      description:
        'title, status, channelId, assignedUserIds, or the id of a field. null: the column is ignored.',
    }),
  ),
  guessedBy: nullable(choice(importGuesses)),
  isResult: Type.Boolean({
    description: 'One of the columns that GET /crm/imports/{importId}/results adds; always ignored.',
  }),
  dateForm: choice(importDateForms),
  numberForm: choice(importNumberForms),
});
export type ImportColumn = Static<typeof ImportColumn>;

export const ImportDuplicates = Type.Object({
  by: choice(importDuplicateRules),
  fieldId: nullable(Type.String({ description: 'With by: field. A column must be mapped to it.' })),
  action: choice(importDuplicateActions),
});
export type ImportDuplicates = Static<typeof ImportDuplicates>;

export const ImportProgress = Type.Object({
  rowsDone: Type.Integer({ description: 'Rows whose result is known and kept.' }),
  created: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer({ description: 'Duplicates that were left unchanged.' }),
  failed: Type.Integer(),
  rowsPerSecond: Type.Number({ description: 'Since it was last started or resumed.' }),
});
export type ImportProgress = Static<typeof ImportProgress>;

export const ImportProblem = Type.Object({
  row: nullable(Type.Integer({ description: 'Counts from 1, without the header row.' })),
  code: Type.String({
    description: 'For example VALIDATION_FAILED, PAYLOAD_TOO_LARGE, FORBIDDEN, NOT_FOUND.',
  }),
  message: Type.String(),
  reason: Type.Optional(Reason),
});
export type ImportProblem = Static<typeof ImportProblem>;

export const ImportJob = Type.Object({
  id: Type.String(),
  kanbanId: Type.String(),
  fileName: Type.String(),
  fileBytes: Type.Integer(),
  state: choice(importStates),
  format: ImportFormat,
  rows: Type.Integer({ description: 'Without the header row.' }),
  rowsAreCounted: Type.Boolean({ description: 'false: the file is large, and rows is an estimate.' }),
  fileProblem: nullable(
    Type.Object(ImportProblem.properties, {
      description:
        'The first row that cannot be read, because of a stray quote or its size. Such rows fail; the others are imported.',
    }),
  ),
  columns: Type.Array(ImportColumn),
  duplicates: ImportDuplicates,
  timeZone: Type.String({
    description: 'Of times without an offset; an IANA name such as America/Sao_Paulo.',
  }),
  progress: ImportProgress,
  error: nullable(Type.Object(ImportProblem.properties, { description: 'Why it failed.' })),
  createdBy: Type.Object({ id: Type.String(), name: Type.String() }),
  createdAt: Type.Number(),
  startedAt: nullable(Type.Number()),
  endedAt: nullable(Type.Number()),
  expiresAt: Type.Number({ description: 'When the file and the results are removed.' }),
});
export type ImportJob = Static<typeof ImportJob>;

export const ImportUploadQuery = Type.Object({
  kanbanId: Type.Optional(Type.String({ description: 'The default kanban when omitted.' })),
  fileName: Type.Optional(Type.String({ maxLength: limits.fileNameLength, examples: ['customers.csv'] })),
  timeZone: Type.Optional(Type.String({ maxLength: limits.timeZoneLength, examples: ['America/Sao_Paulo'] })),
});
export type ImportUploadQuery = Static<typeof ImportUploadQuery>;

/** No type: the body is a stream of bytes. */
export const ImportUploadBody = Type.Unsafe<unknown>({
  description: `The bytes of the file, at most ${limits.importFileBytes / 1024 / 1024} MiB. Encoding, separator and quotes are detected.`,
  examples: ['Nome;E-mail;Valor\r\nAda Lovelace;ada@example.com;1.234,56\r\n'],
});

export const ImportUpdate = Type.Object(
  {
    kanbanId: Type.Optional(
      Type.String({ description: 'With another board, the columns are guessed again.' }),
    ),
    format: Type.Optional(
      Type.Object(
        {
          encoding: Type.Optional(choice(importEncodings)),
          separator: Type.Optional(choice(importSeparators)),
          quotes: Type.Optional(choice(importQuotes)),
          headerRow: Type.Optional(Type.Boolean()),
        },
        { description: 'The file is read again, and the columns are guessed again.' },
      ),
    ),
    columns: Type.Optional(
      Type.Array(
        Type.Object({
          index: Type.Integer({ minimum: 0 }),
          target: Type.Optional(nullable(Type.String())),
          dateForm: Type.Optional(choice(importDateForms)),
          numberForm: Type.Optional(choice(importNumberForms)),
        }),
        {
          maxItems: limits.importColumns,
          description: 'Only the columns to change. A target that another column has is moved to this one.',
        },
      ),
    ),
    duplicates: Type.Optional(Type.Partial(ImportDuplicates)),
    timeZone: Type.Optional(Type.String({ maxLength: limits.timeZoneLength })),
  },
  {
    examples: [
      {
        columns: [
          { index: 0, target: 'title' },
          { index: 2, target: null },
        ],
        duplicates: { by: 'titleAndChannel', fieldId: null, action: 'update' },
      },
    ],
  },
);
export type ImportUpdate = Static<typeof ImportUpdate>;

export const ImportsQuery = Type.Object({
  kanbanId: Type.Optional(Type.String()),
  ...pageQuery(limits.listPage),
});
export type ImportsQuery = Static<typeof ImportsQuery>;

export const ImportPreviewQuery = Type.Object({
  rows: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.importPreviewRows, description: '20 by default.' }),
  ),
});
export type ImportPreviewQuery = Static<typeof ImportPreviewQuery>;

export const ImportPreviewCell = Type.Object({
  column: Type.Integer({ description: 'The index of the column.' }),
  text: Type.String({ description: 'As the file has it, cut to 200 characters.' }),
  value: Type.Unknown({ description: 'The value to be written; null if there is none.' }),
  error: nullable(Type.String()),
  reason: Type.Optional(Reason),
});
export type ImportPreviewCell = Static<typeof ImportPreviewCell>;

export const importOutcomes = ['create', 'update', 'skip', 'fail'] as const;
export type ImportOutcome = (typeof importOutcomes)[number];

export const ImportPreviewRow = Type.Object({
  row: Type.Integer({ description: 'Counts from 1, without the header row.' }),
  outcome: choice(importOutcomes),
  recordId: nullable(Type.String({ description: 'The id of the existing record.' })),
  error: nullable(
    Type.String({
      description: 'What is wrong with the row as a whole: too few cells, no title.',
    }),
  ),
  reason: Type.Optional(Reason),
  cells: Type.Array(ImportPreviewCell, { description: 'Every column of the file, in order.' }),
});
export type ImportPreviewRow = Static<typeof ImportPreviewRow>;

export const ImportPreview = Type.Object({
  rows: Type.Array(ImportPreviewRow),
  check: Type.Object(
    {
      rows: Type.Integer({ description: 'How many rows were checked.' }),
      wrong: Type.Integer({ description: 'How many of them would fail.' }),
      outcomes: Type.Object(
        {
          create: Type.Integer(),
          update: Type.Integer(),
          skip: Type.Integer(),
          fail: Type.Integer(),
        },
        { description: 'How many rows would be created, updated, skipped or fail.' },
      ),
      isWholeFile: Type.Boolean(),
      problems: Type.Array(
        Type.Object({
          column: nullable(Type.Integer({ description: 'null: the row as a whole.' })),
          message: Type.String(),
          reason: Type.Optional(Reason),
          count: Type.Integer(),
          firstRow: Type.Integer(),
        }),
        { description: 'The most frequent first, at most 20.' },
      ),
    },
    { description: `The first ${limits.importCheckedRows} rows.` },
  ),
});
export type ImportPreview = Static<typeof ImportPreview>;

/** The outcome of a row in the result file. */
export const importResults = ['created', 'updated', 'skipped', 'failed'] as const;
export type ImportResult = (typeof importResults)[number];

/** The columns after those of the file; an import that finds them at the end ignores them. */
export const importResultColumns = ['result', 'recordId', 'error'] as const;

export const ImportResultsQuery = Type.Object({
  only: Type.Optional(choice(importResults)),
});
export type ImportResultsQuery = Static<typeof ImportResultsQuery>;
/** A stream of text: the columns of the file, then importResultColumns, in UTF-8 with the separator of the file. */
export const ImportResultsFile = Type.Unsafe<unknown>(Type.String());
