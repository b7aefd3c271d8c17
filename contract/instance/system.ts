/** The state of the instance, for its administrators. */
import type { Static } from 'typebox';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

const time = (description: string) => Type.Number({ description: `${description} Unix epoch milliseconds.` });

export const FailedJob = Type.Object({
  id: Type.String(),
  accountId: nullable(Type.String({ description: 'null: it is for the whole instance.' })),
  accountName: nullable(Type.String()),
  kind: Type.String({ examples: ['ai-reply'] }),
  attempts: Type.Integer(),
  error: nullable(
    Type.String({
      description:
        'Of the last attempt: class, code and the message of the service, without values. The log has the whole error.',
    }),
  ),
  createdAt: time('When it was enqueued.'),
  failedAt: time('When it was given up.'),
});
export type FailedJob = Static<typeof FailedJob>;

const Queue = Type.Object({
  queue: choice(['jobs', 'webhooks', 'outbound', 'inbound']),
  waiting: Type.Integer({ description: 'Due, and not begun.' }),
  oldestSeconds: Type.Number({ description: 'For how long the oldest of them has been due.' }),
  failed: nullable(Type.Integer({ description: 'Given up; null: it is not counted for this queue.' })),
});

const SlowQuery = Type.Object({
  text: Type.String({ description: 'Without values: they are `$1`, `$2` and so on.' }),
  isHousekeeping: nullable(
    Type.Boolean({
      description:
        'Whether housekeeping ran it, so that nobody waited for it; null: PostgreSQL does not know.',
    }),
  ),
  count: Type.Integer(),
  totalMs: Type.Number(),
  maxMs: Type.Number(),
  lastAt: nullable(time('When it was slow the last time; null: not known.')),
});

export const SystemOverview = Type.Object({
  versions: Type.Object({
    service: Type.String(),
    node: Type.String(),
    postgres: Type.String(),
    nodes: Type.Array(Type.Object({ url: Type.String(), version: nullable(Type.String()) }), {
      description: 'The processes with NODE_ADDRESS.',
    }),
  }),
  queues: Type.Array(Queue),
  storage: Type.Object({
    databaseBytes: Type.Number(),
    fileBytes: Type.Number({ description: 'Of the attachments of all accounts.' }),
    freeDiskBytes: nullable(Type.Number({ description: 'In DATA_DIR; null: not known.' })),
    isDiskLow: Type.Boolean(),
  }),
  slowQueries: Type.Object({
    source: choice(['process', 'pg_stat_statements'], {
      description: '`process`: since this process began, statements of 200 ms or more.',
    }),
    items: Type.Array(SlowQuery, { description: 'The ones that took the most time, at most 20.' }),
  }),
  unreachableDatabases: Type.Integer({ description: 'Cells that are left out, because they do not answer.' }),
});
export type SystemOverview = Static<typeof SystemOverview>;
