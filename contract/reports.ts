/**
 * Reports: `GET /reports/<name>`. All take the same period; each returns its figures as JSON, or as CSV
 * (`format=csv`, or `Accept: text/csv`). docs/reports.md defines what is counted.
 */
import type { Static, TProperties } from 'typebox';
import { reportExamples } from './examples/reports.examples.ts';
import { limits } from './limits.ts';
import { type SlaKind, slaKinds } from './service-levels.ts';
import { pageOf, pageQuery } from './shapes/paging.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const reportBuckets = ['hour', 'day', 'week', 'month'] as const;
export type ReportBucket = (typeof reportBuckets)[number];
const reportFormats = ['json', 'csv'] as const;

export const reportLimits = {
  /** A month by hours, two years by days. */
  buckets: 750,
  /** The end of the year 2999. */
  latest: 32_503_680_000_000,
  defaultDays: 30,
} as const;

/** Not from 0, which is what an empty parameter reads as. */
const Time = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: reportLimits.latest, description, examples: [example] });

const period = {
  from: Type.Optional(
    Time('The start of the period, in milliseconds; 30 days before its end when omitted.', 1_790_000_000_000),
  ),
  to: Type.Optional(Time('The end of the period, exclusive. Now when omitted.', 1_792_000_000_000)),
  bucket: Type.Optional(
    Type.Unsafe<ReportBucket>({
      ...choice(reportBuckets),
      description: `The length of a bucket, in the time zone; weeks begin on Monday. When omitted: hours up to 2 days, days up to 92, weeks up to two years, else months. At most ${reportLimits.buckets} in a period.`,
      examples: ['day'],
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'An IANA name; UTC when omitted.',
      examples: ['America/Sao_Paulo'],
    }),
  ),
};
const format = {
  format: Type.Optional(
    Type.Unsafe<(typeof reportFormats)[number]>({
      ...choice(reportFormats),
      description: 'json when omitted, unless the Accept header asks for text/csv.',
      examples: ['json'],
    }),
  ),
};
const filters = {
  kanbanId: Type.Optional(Type.String({ description: 'Conversations that are on this kanban now.' })),
  channelId: Type.Optional(Type.String({ description: 'Conversations of this channel.' })),
  agentId: Type.Optional(Type.String({ description: 'Conversations that are with this agent now.' })),
};

export const BoardReportQuery = Type.Object({
  ...period,
  kanbanId: Type.Optional(
    Type.String({
      description:
        'The default kanban when omitted, or the first one that the caller may see. `*`: all that the caller may see; figures of statuses with the same value are summed.',
    }),
  ),
  ...format,
});
export type BoardReportQuery = Static<typeof BoardReportQuery>;
export const ConversationReportQuery = Type.Object({ ...period, ...filters, ...format });
export type ConversationReportQuery = Static<typeof ConversationReportQuery>;
const ofAi = {
  kanbanId: filters.kanbanId,
  channelId: filters.channelId,
  agentId: Type.Optional(Type.String({ description: 'Replies of this agent.' })),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Replies of this version of the agent; needs agentId.',
    }),
  ),
};
export const AiReportQuery = Type.Object({ ...period, ...ofAi, ...format });
export type AiReportQuery = Static<typeof AiReportQuery>;
export const aiFigures = [
  'replies',
  'resolved',
  'alone',
  'handedOver',
  'held',
  'released',
  'failed',
  'cost',
  'unpriced',
  'ratedWithAi',
  'ratedWithoutAi',
] as const;
export type AiFigure = (typeof aiFigures)[number];
export const AiConversationsQuery = Type.Object({
  figure: Type.Unsafe<AiFigure>({
    ...choice(aiFigures),
    description: 'The figure of GET /reports/ai whose conversations are listed.',
    examples: ['handedOver'],
  }),
  reason: Type.Optional(Type.String({ description: 'Of `handedOver`: this reason only.' })),
  from: period.from,
  to: period.to,
  ...ofAi,
  ...pageQuery(limits.listPage),
});
export type AiConversationsQuery = Static<typeof AiConversationsQuery>;
export const WebhookReportQuery = Type.Object({
  ...period,
  webhookId: Type.Optional(Type.String({ description: 'Only this endpoint: a webhook or a channel.' })),
  ...format,
});
export type WebhookReportQuery = Static<typeof WebhookReportQuery>;

/** The period with all defaults filled in. */
export const ReportPeriod = Type.Object({
  from: Type.Number(),
  to: Type.Number(),
  bucket: choice(reportBuckets),
  timeZone: Type.String(),
});
export type ReportPeriod = Static<typeof ReportPeriod>;

const Count = Type.Integer();
const Ms = nullable(Type.Number({ description: 'Milliseconds; null: there was none.' }));
/** From `from` to before `to`. The first and the last are cut at the ends of the period. */
const bucketOf = <T extends TProperties>(figures: T) =>
  Type.Object({ from: Type.Number(), to: Type.Number(), ...figures });

const ReportStatus = Type.Object({
  status: Type.String(),
  label: Type.String(),
  color: nullable(Type.String()),
  present: Type.Boolean({
    description: 'false: the kanban no longer has it; its label is its value.',
  }),
});
export type ReportStatus = Static<typeof ReportStatus>;

/** As `kanbanId` of a board's report: every board that the caller may see. */
export const allKanbans = '*';
const ReportedKanban = nullable(Type.String({ description: 'null: all that the caller may see.' }));

/** GET /reports/records-by-status */
export const RecordsByStatusReport = Type.Object(
  {
    period: ReportPeriod,
    kanbanId: ReportedKanban,
    statuses: Type.Array(ReportStatus, {
      description: 'In the order of the kanban; then removed statuses that have figures here.',
    }),
    atStart: Type.Array(Count, {
      description: 'Records in each status at the start of the period, in the order of statuses.',
    }),
    buckets: Type.Array(
      bucketOf({
        counts: Type.Array(Count, {
          description: 'Records in each status at the end of the bucket, in the order of statuses.',
        }),
      }),
    ),
  },
  {
    examples: [reportExamples.recordsByStatus],
  },
);
export type RecordsByStatusReport = Static<typeof RecordsByStatusReport>;

/** GET /reports/status-conversion */
export const StatusConversionReport = Type.Object(
  {
    period: ReportPeriod,
    kanbanId: ReportedKanban,
    statuses: Type.Array(
      Type.Object({
        ...ReportStatus.properties,
        atStart: Count,
        created: Type.Integer({ description: 'Records that were created in this status.' }),
        entered: Type.Integer({ description: 'Moved into it from another status.' }),
        left: Type.Integer({ description: 'Moved out of it into another status.' }),
        deleted: Type.Integer({ description: 'Deleted while in this status.' }),
        atEnd: Type.Integer({ description: 'atStart + created + entered - left - deleted' }),
        medianMs: Ms,
      }),
      { description: 'medianMs: the median time that records spent in it before they left.' },
    ),
    transitions: Type.Array(
      Type.Object({
        from: Type.String(),
        to: Type.String(),
        count: Count,
        share: Type.Number({
          description: 'Of all that left `from` in the period: 0 to 1.',
        }),
        medianMs: Ms,
      }),
      { description: 'Most frequent first. medianMs: the time in `from` before the move.' },
    ),
  },
  {
    examples: [reportExamples.statusConversion],
  },
);
export type StatusConversionReport = Static<typeof StatusConversionReport>;

const ReportChannel = Type.Object({
  channelId: Type.String(),
  name: Type.String(),
  type: Type.String(),
});

/** GET /reports/new-conversations */
export const NewConversationsReport = Type.Object(
  {
    period: ReportPeriod,
    channels: Type.Array(Type.Object({ ...ReportChannel.properties, total: Count }), {
      description: 'Those with a conversation in the period, most first.',
    }),
    total: Count,
    buckets: Type.Array(
      bucketOf({ counts: Type.Array(Count, { description: 'In the order of channels.' }) }),
    ),
  },
  {
    examples: [reportExamples.newConversations],
  },
);
export type NewConversationsReport = Static<typeof NewConversationsReport>;

const ResponseTimes = Type.Object({
  count: Type.Integer({ description: 'Conversations whose first answer took this long.' }),
  medianMs: Ms,
  p90Ms: Ms,
});
const responses = {
  conversations: Type.Integer({ description: 'Begun in the bucket, with a message of the customer.' }),
  unanswered: Type.Integer({ description: 'Of these, without any answer so far.' }),
  all: ResponseTimes,
  ai: Type.Object(ResponseTimes.properties, { description: 'The first answer was the AI’s.' }),
  human: Type.Object(ResponseTimes.properties, { description: 'The first answer was a person’s.' }),
};

/** GET /reports/first-response: the time from the customer's first message to the first answer */
export const FirstResponseReport = Type.Object(
  {
    period: ReportPeriod,
    total: Type.Object(responses),
    buckets: Type.Array(bucketOf(responses)),
  },
  {
    examples: [reportExamples.firstResponse],
  },
);
export type FirstResponseReport = Static<typeof FirstResponseReport>;

const resolutions = {
  resolved: Type.Integer({ description: 'How often a conversation was resolved.' }),
  medianMs: Ms,
  p90Ms: Ms,
  reopened: Type.Integer({ description: 'How often a resolved conversation was opened or snoozed again.' }),
  reopenedByCustomer: Type.Integer({ description: 'Of these, because the customer wrote.' }),
  reopenRate: nullable(
    Type.Number({ description: 'reopened / resolved; null: nothing was resolved. May exceed 1.' }),
  ),
};
/** GET /reports/resolutions: the time from the first contact, or from the last reopening, until it was resolved */
export const ResolutionsReport = Type.Object(
  { period: ReportPeriod, total: Type.Object(resolutions), buckets: Type.Array(bucketOf(resolutions)) },
  {
    examples: [reportExamples.resolutions],
  },
);
export type ResolutionsReport = Static<typeof ResolutionsReport>;

const satisfaction = {
  count: Type.Integer({ description: 'How many ratings customers gave.' }),
  average: nullable(Type.Number({ description: '1 to 5, 5 is the best; null: there is no rating.' })),
  distribution: Type.Array(Count, { description: 'How often 1, 2, 3, 4 and 5 was given.' }),
};
/** GET /reports/satisfaction: by the time of the first rating of a resolution; a changed rating counts as it is now */
export const SatisfactionReport = Type.Object(
  {
    period: ReportPeriod,
    total: Type.Object(satisfaction),
    operators: Type.Array(
      Type.Object({
        userId: nullable(Type.String({ description: 'null: nobody, or a user who was removed.' })),
        name: nullable(Type.String()),
        ...satisfaction,
      }),
      { description: 'By the owner, or without one by the user who resolved the conversation; most first.' },
    ),
    channels: Type.Array(Type.Object({ ...ReportChannel.properties, ...satisfaction })),
    buckets: Type.Array(bucketOf(satisfaction)),
  },
  {
    examples: [reportExamples.satisfaction],
  },
);
export type SatisfactionReport = Static<typeof SatisfactionReport>;

const serviceLevels = {
  met: Type.Integer({ description: 'Targets that were met in time.' }),
  breached: Type.Integer({ description: 'Targets that were not.' }),
};
const ofServiceLevels = {
  policyId: Type.Optional(Type.String({ description: 'Targets of this policy.' })),
  kind: Type.Optional(Type.Unsafe<SlaKind>({ ...choice(slaKinds), description: 'Only these targets.' })),
  teamId: Type.Optional(Type.String({ description: "Of a team's conversations, or `none`." })),
  userId: Type.Optional(Type.String({ description: "A user's, or `none`." })),
};
export const ServiceLevelsQuery = Type.Object({ ...period, ...filters, ...ofServiceLevels, ...format });
export type ServiceLevelsQuery = Static<typeof ServiceLevelsQuery>;
export const slaFigures = ['met', 'breached'] as const;
export type SlaFigure = (typeof slaFigures)[number];
export const ServiceLevelConversationsQuery = Type.Object({
  figure: Type.Unsafe<SlaFigure>({
    ...choice(slaFigures),
    description: 'The figure of GET /reports/service-levels whose conversations are listed.',
    examples: ['breached'],
  }),
  from: period.from,
  to: period.to,
  ...filters,
  ...ofServiceLevels,
  ...pageQuery(limits.listPage),
});
export type ServiceLevelConversationsQuery = Static<typeof ServiceLevelConversationsQuery>;
const Gone = nullable(Type.String({ description: 'null: none, or one that was removed.' }));
/** GET /reports/service-levels: by the time at which a target was met, or was due */
export const ServiceLevelsReport = Type.Object(
  {
    period: ReportPeriod,
    total: Type.Object(serviceLevels),
    kinds: Type.Array(Type.Object({ kind: choice(slaKinds), ...serviceLevels })),
    policies: Type.Array(Type.Object({ policyId: Type.String(), name: Gone, ...serviceLevels })),
    teams: Type.Array(
      Type.Object({
        teamId: nullable(Type.String({ description: 'null: the conversation had none.' })),
        name: Gone,
        ...serviceLevels,
      }),
    ),
    people: Type.Array(
      Type.Object({
        userId: nullable(Type.String({ description: 'null: nobody.' })),
        name: Gone,
        ...serviceLevels,
      }),
      { description: 'By who answered; without one by the owner at that moment. Most first.' },
    ),
    channels: Type.Array(Type.Object({ ...ReportChannel.properties, ...serviceLevels })),
    buckets: Type.Array(bucketOf(serviceLevels)),
  },
  { examples: [reportExamples.serviceLevels] },
);
export type ServiceLevelsReport = Static<typeof ServiceLevelsReport>;
export const ServiceLevelConversations = pageOf(
  Type.Object({
    sessionId: Type.String(),
    sessionName: nullable(Type.String()),
    channelId: Type.String(),
    count: Type.Integer({ description: 'How many of its targets are in the figure.' }),
    lastAt: Type.Number(),
  }),
);
export type ServiceLevelConversations = Static<typeof ServiceLevelConversations>;

const answers = {
  ai: Type.Integer({ description: 'Messages that the AI sent.' }),
  human: Type.Integer({ description: 'Messages that people sent.' }),
};
/** GET /reports/answers */
export const AnswersReport = Type.Object(
  { period: ReportPeriod, total: Type.Object(answers), buckets: Type.Array(bucketOf(answers)) },
  {
    examples: [reportExamples.answers],
  },
);
export type AnswersReport = Static<typeof AnswersReport>;

const handovers = {
  byAi: Type.Integer({ description: 'The AI handed the conversation over to people.' }),
  byPeople: Type.Integer({ description: 'A person, or a token, paused the AI.' }),
  resumed: Type.Integer({ description: 'The AI was resumed.' }),
  suppressed: Type.Integer({ description: 'Requested replies that were not made: see reasons.' }),
  held: Type.Integer({ description: 'Replies held for a person to review.' }),
  failed: Type.Integer({ description: 'Replies that the model could not make.' }),
};
/** GET /reports/handovers */
export const HandoversReport = Type.Object(
  {
    period: ReportPeriod,
    total: Type.Object(handovers),
    reasons: Type.Array(Type.Object({ reason: Type.String(), count: Count }), {
      description:
        'Why replies were suppressed, most frequent first: AI paused, session transferred, contact blocked …',
    }),
    buckets: Type.Array(bucketOf(handovers)),
  },
  {
    examples: [reportExamples.handovers],
  },
);
export type HandoversReport = Static<typeof HandoversReport>;

const ai = {
  replies: Type.Integer({ description: 'Replies that reached the customer; a held one after its release.' }),
  resolved: Type.Integer({
    description:
      'How often a conversation was resolved after a reply of the AI, since its first contact or last reopening.',
  }),
  alone: Type.Integer({
    description:
      'Of these, without a person: nobody wrote to the customer before, nor within 72 hours after. It can still fall while these are not over.',
  }),
  handedOver: Type.Integer({ description: 'Replies with which the AI asked for a person: see handovers.' }),
  held: Type.Integer({ description: 'Replies that were held for a person to review.' }),
  released: Type.Integer({ description: 'Of these, sent by a person since.' }),
  failed: Type.Integer({ description: 'Replies that the model could not make.' }),
  cost: Type.Number({
    description: 'In US dollars, of the replies whose price is known; also of held ones.',
  }),
  unpriced: Type.Integer({ description: 'Replies of a language model without a known price.' }),
};
const aiRating = { count: satisfaction.count, average: satisfaction.average };
/** GET /reports/ai */
export const AiReport = Type.Object(
  {
    period: ReportPeriod,
    total: Type.Object(ai),
    handovers: Type.Array(Type.Object({ reason: Type.String(), count: Count }), {
      description: 'Why the AI asked for a person, most frequent first.',
    }),
    ratings: Type.Object(
      { withAi: Type.Object(aiRating), withoutAi: Type.Object(aiRating) },
      {
        description:
          'By customers, of conversations with and without a reply of the AI before; `withoutAi` is the same for every agent.',
      },
    ),
    agents: Type.Array(
      Type.Object({
        agentId: Type.String(),
        name: nullable(Type.String({ description: 'null: it was removed.' })),
        ...ai,
        versions: Type.Array(
          Type.Object({
            version: nullable(
              Type.Integer({ description: 'null: from before versions were kept, or no reply was made.' }),
            ),
            ...ai,
          }),
          { description: 'Newest first.' },
        ),
      }),
      { description: 'Most replies first.' },
    ),
    channels: Type.Array(Type.Object({ ...ReportChannel.properties, ...ai }), {
      description: 'Most replies first.',
    }),
    buckets: Type.Array(bucketOf(ai)),
  },
  { examples: [reportExamples.ai] },
);
export type AiReport = Static<typeof AiReport>;

/** GET /reports/ai/conversations: those behind a figure, that the caller may read. */
export const AiConversations = pageOf(
  Type.Object({
    sessionId: Type.String(),
    sessionName: nullable(Type.String()),
    channelId: Type.String(),
    count: Type.Integer({ description: 'How often the conversation is in the figure.' }),
    cost: Type.Number({ description: 'Of what is counted here, in US dollars.' }),
    lastAt: Type.Number({ description: 'The last time.' }),
  }),
);
export type AiConversations = Static<typeof AiConversations>;

const copilot = {
  suggested: Type.Integer({ description: 'Suggestions and rewritten texts that people asked for.' }),
  accepted: Type.Integer({ description: 'Of these, sent as they were.' }),
  edited: Type.Integer({ description: 'Sent after a change.' }),
  discarded: Type.Integer({ description: 'Not sent.' }),
};
/** GET /reports/copilot: what became of what the copilot wrote; the rest of `suggested` is undecided */
export const CopilotReport = Type.Object(
  {
    period: ReportPeriod,
    total: Type.Object(copilot),
    users: Type.Array(
      Type.Object({
        userId: nullable(Type.String({ description: 'null: a user who was removed.' })),
        name: nullable(Type.String()),
        ...copilot,
      }),
      { description: 'Who asked for it; most first.' },
    ),
    buckets: Type.Array(bucketOf(copilot)),
  },
  { examples: [reportExamples.copilot] },
);
export type CopilotReport = Static<typeof CopilotReport>;

const traffic = {
  customer: Type.Integer({ description: 'Messages of customers.' }),
  ai: answers.ai,
  human: answers.human,
  echo: Type.Integer({ description: 'Copies of messages that were sent outside the service.' }),
};
/** GET /reports/messages-per-hour */
export const MessagesPerHourReport = Type.Object(
  {
    period: ReportPeriod,
    total: Type.Object(traffic),
    cells: Type.Array(
      Type.Object({
        weekday: Type.Integer({ description: '1 is Monday, 7 Sunday.' }),
        hour: Type.Integer({ description: '0 to 23 by the clock of the time zone.' }),
        hours: Type.Number({
          description:
            'How many hours of the period fall here, including fractions: the divisor of an average.',
        }),
        ...traffic,
      }),
      { description: 'All 168 hours, Monday 00:00 first.' },
    ),
    buckets: Type.Array(bucketOf(traffic)),
  },
  {
    examples: [reportExamples.messagesPerHour],
  },
);
export type MessagesPerHourReport = Static<typeof MessagesPerHourReport>;

const endpointKinds = ['webhook', 'channel'] as const;
const health = {
  deliveries: Type.Integer({ description: 'Events of the period that were for the endpoint.' }),
  delivered: Count,
  firstAttempt: Type.Integer({ description: 'The first attempt succeeded.' }),
  retried: Type.Integer({ description: 'More than one attempt was made.' }),
  exhausted: Type.Integer({ description: 'Given up.' }),
  open: Type.Integer({ description: 'Waiting, between attempts, or held because the endpoint is disabled.' }),
  attempts: Count,
  p50Ms: Ms,
  p95Ms: Ms,
};
/** GET /reports/webhooks */
export const WebhooksReport = Type.Object(
  {
    period: ReportPeriod,
    keptSince: Type.Number({
      description: 'The log has no events before this time: older ones were removed (logDays).',
    }),
    total: Type.Object(health),
    endpoints: Type.Array(
      Type.Object({
        endpointId: Type.String(),
        kind: choice(endpointKinds),
        name: Type.String({
          description: 'Of the channel, or the description of the webhook; may be empty.',
        }),
        url: Type.String(),
        enabled: Type.Boolean(),
        ...health,
      }),
      {
        description:
          'Most deliveries first, including endpoints without any; channels without a webhook address are omitted.',
      },
    ),
    buckets: Type.Array(bucketOf(health)),
  },
  {
    examples: [reportExamples.webhooks],
  },
);
export type WebhooksReport = Static<typeof WebhooksReport>;

/** The same figures as a file: a row per bucket (or transition, hour of the week, endpoint). */
export const ReportFile = Type.Unsafe<unknown>(Type.String());
