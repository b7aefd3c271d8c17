/** Erasing a person: the request is answered at once, a job does the work. */
import type { Static } from 'typebox';
import { Type } from './shapes/type.ts';
import { choice } from './shapes/values.ts';

const erasureStates = ['running', 'done', 'failed'] as const;

export const BackupNamed = Type.Object({
  name: Type.String({ description: 'The name of the file.' }),
  createdAt: Type.Number(),
});
export type BackupNamed = Static<typeof BackupNamed>;

const backups = Type.Array(BackupNamed, {
  description: 'Backups of this instance made before the erasure, newest first. They still hold the person.',
});

export const ErasureQuery = Type.Object({
  records: Type.Optional(
    Type.Unsafe<'keep'>({
      ...choice(['keep']),
      description: 'keep: the records of the conversations stay.',
    }),
  ),
});

export const MessageDeletionQuery = Type.Object({
  erase: Type.Optional(
    Type.Unsafe<'true'>({
      ...choice(['true']),
      description: 'true: deletes a message that is not held too. Without it such a message is a 409.',
    }),
  ),
});

export const ErasureAccepted = Type.Object({ erasureId: Type.String(), backups });
export type ErasureAccepted = Static<typeof ErasureAccepted>;

export const Erasure = Type.Object({
  state: choice(erasureStates),
  removed: Type.Record(Type.String(), Type.Integer(), {
    description: 'How many rows or files were removed so far, by what they were.',
    examples: [{ conversations: 2, messages: 41, files: 3 }],
  }),
  backups,
});
export type Erasure = Static<typeof Erasure>;
