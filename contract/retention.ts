/** How long an account keeps its data. */
import type { Static } from 'typebox';
import { Type } from './shapes/type.ts';
import { nullable } from './shapes/values.ts';

/** In days. A shorter time would remove what people still work with, or what an inspection asks for. */
export const retentionDays = {
  messageDays: { min: 7, max: 3_650 },
  fileDays: { min: 7, max: 3_650 },
  eventDays: { min: 1, max: 365 },
  auditDays: { min: 90, max: 3_650 },
  replyLogDays: { min: 7, max: 3_650 },
} as const;

const days = (name: keyof typeof retentionDays, description: string) =>
  Type.Integer({ minimum: retentionDays[name].min, maximum: retentionDays[name].max, description });

const settings = {
  messageDays: nullable(
    days(
      'messageDays',
      'Messages and notes, counted from when they were stored, with their files. A conversation goes with its last message. null: kept.',
    ),
  ),
  fileDays: nullable(
    days('fileDays', 'Files of messages. The message stays and says when the file was removed. null: kept.'),
  ),
  eventDays: days(
    'eventDays',
    'Events and their deliveries, the same setting as `logDays` of webhooks. Events of messages never stay longer than messages.',
  ),
  auditDays: nullable(days('auditDays', 'Entries of the audit log. null: kept.')),
  replyLogDays: nullable(days('replyLogDays', 'The log of AI replies. null: kept with the conversation.')),
};

export const RetentionSettings = Type.Object(settings);
export type RetentionSettings = Static<typeof RetentionSettings>;

export const Retention = Type.Object({
  ...settings,
  lastRunAt: nullable(Type.Number({ description: 'When the removal last ended.' })),
  removed: Type.Record(Type.String(), Type.Integer(), {
    description: 'How many the last run removed, by what they were.',
    examples: [{ messages: 120, conversations: 4, files: 7 }],
  }),
});
export type Retention = Static<typeof Retention>;

export const RetentionUpdate = Type.Partial(RetentionSettings);
export type RetentionUpdate = Static<typeof RetentionUpdate>;

const Count = Type.Integer();
export const RetentionPreview = Type.Object({
  messages: Count,
  conversations: Count,
  files: Count,
  events: Count,
  auditEntries: Count,
  replyLogs: Count,
  countedUpTo: Type.Integer({ description: 'A count that has this value may be larger.' }),
});
export type RetentionPreview = Static<typeof RetentionPreview>;
