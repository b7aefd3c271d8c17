/** Backups that the service makes. */
import type { Static } from 'typebox';
import { Type } from '../shapes/type.ts';

const time = (description: string) =>
  Type.Integer({ description: `${description}, Unix epoch milliseconds` });
const optional = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const Backup = Type.Object({
  id: Type.String({ format: 'uuid' }),
  cell: Type.String({ description: 'The database: `home`, or the name of a cell of CELLS' }),
  cause: Type.Union([Type.Literal('schedule'), Type.Literal('request')]),
  state: Type.Union(
    [
      Type.Literal('waiting'),
      Type.Literal('writing'),
      Type.Literal('verifying'),
      Type.Literal('good'),
      Type.Literal('failed'),
    ],
    { description: 'Only a good one can be restored' },
  ),
  name: optional(Type.String({ description: 'Of its file' })),
  rows: Type.Integer(),
  files: Type.Integer(),
  bytes: optional(Type.Integer()),
  isEncrypted: Type.Boolean(),
  verifiedAt: optional(time('When it was restored for a test and compared')),
  unverified: optional(Type.String({ description: 'Why it was not' })),
  error: optional(Type.String()),
  createdAt: time('When it was due or asked for'),
  endedAt: optional(time('When it ended')),
  removedAt: optional(time('When the rotation removed it')),
  isMissing: Type.Boolean({
    description: 'A good one that the rotation has not removed, but whose file is not in BACKUP_TO any more',
  }),
});
export type Backup = Static<typeof Backup>;

export const BackupOverview = Type.Object({
  place: optional(Type.String({ description: 'BACKUP_TO; null: the service makes no backups' })),
  everyHours: optional(
    Type.Integer({ description: 'How often BACKUP_SCHEDULE makes one; null: only on request' }),
  ),
  nextAt: optional(time('When the next one of the schedule is due')),
  keep: Type.Object(
    { last: Type.Integer(), days: Type.Integer(), weeks: Type.Integer(), months: Type.Integer() },
    { description: 'BACKUP_KEEP: how many of the last ones stay, and the newest of how many periods' },
  ),
  isEncrypted: Type.Boolean({ description: 'Whether BACKUP_PUBLIC_KEY is set' }),
  backups: Type.Array(Backup, { description: 'The last 50, newest first' }),
});
export type BackupOverview = Static<typeof BackupOverview>;

export const StoredBackup = Type.Object({
  name: Type.String({ description: 'Of its file' }),
  cell: Type.String({ description: 'The database: `home`, or the name of a cell of CELLS' }),
  createdAt: time('When it was begun'),
  bytes: Type.Integer(),
  isEncrypted: Type.Boolean(),
  isGood: Type.Boolean({ description: 'False: it was not completed, or its file was changed since' }),
  verifiedAt: optional(time('When it was restored for a test and compared')),
});
export type StoredBackup = Static<typeof StoredBackup>;

export const BackupsStarted = Type.Object({ backups: Type.Array(Backup) });
