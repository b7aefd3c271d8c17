import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import {
  AiConversations,
  AiConversationsQuery,
  AiReport,
  AiReportQuery,
  AnswersReport,
  BoardReportQuery,
  ConversationReportQuery,
  CopilotReport,
  FirstResponseReport,
  HandoversReport,
  MessagesPerHourReport,
  NewConversationsReport,
  RecordsByStatusReport,
  ReportFile,
  ResolutionsReport,
  SatisfactionReport,
  ServiceLevelConversations,
  ServiceLevelConversationsQuery,
  ServiceLevelsQuery,
  ServiceLevelsReport,
  StatusConversionReport,
  WebhookReportQuery,
  WebhooksReport,
} from '../../../contract/reports.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import type { App } from '../../platform/http/http.ts';
import { readableBy } from '../knowledge/knowledge.ts';
import type { ConversationFilter } from './reports.conversations.sql.ts';
import * as csv from './reports.csv.ts';
import {
  aiFilter,
  checkPeriod,
  chooseKanbans,
  conversationFilter,
  listAiConversations,
  listServiceLevelConversations,
  type Period,
  type ReportedKanbans,
  reportAi,
  reportAnswers,
  reportCopilot,
  reportFirstResponse,
  reportHandovers,
  reportMessagesPerHour,
  reportNewConversations,
  reportRecordsByStatus,
  reportResolutions,
  reportSatisfaction,
  reportServiceLevels,
  reportStatusConversion,
  reportWebhooks,
  serviceLevelFilter,
} from './reports.ts';

const tags = ['Reports'];
type ToCsv<R> = (period: Period, report: R) => string;

export function reportsRoutes(app: App, context: Context): void {
  boardRoutes(app, context);
  conversationRoutes(app, context);
  aiRoutes(app, context);
  serviceLevelRoutes(app, context);
  webhookRoutes(app, context);
}

function boardRoutes(app: App, { db, clock, definitions }: Context): void {
  const board = <R extends object>(
    name: string,
    summary: string,
    schema: TSchema,
    make: (db: Db, accountId: string, kanbans: ReportedKanbans, period: Period) => Promise<R>,
    toCsv: ToCsv<R>,
  ) =>
    app.get(
      `/reports/${name}`,
      {
        config: { access: { scope: 'crm:read', permission: 'reports.view' } },
        schema: { tags, summary, querystring: BoardReportQuery, response: { 200: bothOf(schema) } },
      },
      async (request, reply) => {
        const { accountId } = request.actor;
        const period = checkPeriod(request.query, clock.now());
        const kanbans = chooseKanbans(await definitions.fresh(accountId), request.actor, request.query);
        return answer(request, reply, name, period, await make(db, accountId, kanbans, period), toCsv);
      },
    );

  board(
    'records-by-status',
    'Records in each status of a kanban, or of all kanbans, at the end of each bucket',
    RecordsByStatusReport,
    reportRecordsByStatus,
    csv.recordsByStatusCsv,
  );
  board(
    'status-conversion',
    'Moves between statuses: how often, and after how long',
    StatusConversionReport,
    reportStatusConversion,
    csv.statusConversionCsv,
  );
}

function conversationRoutes(app: App, { db, clock, visibleTo }: Context): void {
  const conversations = <R extends object>(
    name: string,
    summary: string,
    schema: TSchema,
    make: (db: Db, accountId: string, filter: ConversationFilter, period: Period) => Promise<R>,
    toCsv: ToCsv<R>,
  ) =>
    app.get(
      `/reports/${name}`,
      {
        config: { access: { scope: 'messages:read', permission: 'reports.view' } },
        schema: { tags, summary, querystring: ConversationReportQuery, response: { 200: bothOf(schema) } },
      },
      async (request, reply) => {
        const { accountId } = request.actor;
        const period = checkPeriod(request.query, clock.now());
        const filter = conversationFilter(request.query, await visibleTo(request.actor));
        return answer(request, reply, name, period, await make(db, accountId, filter, period), toCsv);
      },
    );

  conversations(
    'new-conversations',
    'Conversations that began, by channel',
    NewConversationsReport,
    reportNewConversations,
    csv.newConversationsCsv,
  );
  conversations(
    'resolutions',
    'How long conversations took until they were resolved, and how many were reopened',
    ResolutionsReport,
    reportResolutions,
    csv.resolutionsCsv,
  );
  conversations(
    'satisfaction',
    'How customers rated resolved conversations, by operator and channel',
    SatisfactionReport,
    reportSatisfaction,
    csv.satisfactionCsv,
  );
  conversations(
    'first-response',
    'How long customers waited for the first answer',
    FirstResponseReport,
    reportFirstResponse,
    csv.firstResponseCsv,
  );
  conversations(
    'answers',
    'Messages sent by the AI and by people',
    AnswersReport,
    reportAnswers,
    csv.answersCsv,
  );
  conversations(
    'handovers',
    'Hand-overs between AI and people, and replies that were not sent',
    HandoversReport,
    reportHandovers,
    csv.handoversCsv,
  );
  conversations(
    'copilot',
    'What became of what the copilot wrote for people',
    CopilotReport,
    reportCopilot,
    csv.copilotCsv,
  );
  conversations(
    'messages-per-hour',
    'Messages by the hour of the week, and over time',
    MessagesPerHourReport,
    reportMessagesPerHour,
    csv.messagesPerHourCsv,
  );
}

function aiRoutes(app: App, { db, clock, visibleTo, pageTokens }: Context): void {
  const config = { access: { scope: 'messages:read', permission: 'reports.view' } } as const;
  app.get(
    '/reports/ai',
    {
      config,
      schema: {
        tags,
        summary: 'Replies of the AI: what became of them, and what they cost',
        querystring: AiReportQuery,
        response: { 200: bothOf(AiReport) },
      },
    },
    async (request, reply) => {
      const { actor, query } = request;
      const period = checkPeriod(query, clock.now());
      const filter = aiFilter(query, await visibleTo(actor));
      return answer(
        request,
        reply,
        'ai',
        period,
        await reportAi(db, actor.accountId, filter, period),
        csv.aiCsv,
      );
    },
  );
  app.get(
    '/reports/ai/conversations',
    {
      config,
      schema: {
        tags,
        summary: 'The conversations behind a figure of GET /reports/ai that the caller may read',
        querystring: AiConversationsQuery,
        response: { 200: AiConversations },
      },
    },
    async ({ actor, query }) => {
      // Reports contain only figures: they give no right to conversations.
      const visible = await readableBy(visibleTo, actor);
      const period = checkPeriod(query, clock.now());
      return listAiConversations(db, pageTokens, actor.accountId, aiFilter(query, visible), period, query);
    },
  );
}

function serviceLevelRoutes(app: App, { db, clock, visibleTo, pageTokens }: Context): void {
  const config = { access: { scope: 'messages:read', permission: 'reports.view' } } as const;
  app.get(
    '/reports/service-levels',
    {
      config,
      schema: {
        tags,
        summary: 'Targets of service levels that were met or missed, by policy, team, person and channel',
        querystring: ServiceLevelsQuery,
        response: { 200: bothOf(ServiceLevelsReport) },
      },
    },
    async (request, reply) => {
      const { actor, query } = request;
      const period = checkPeriod(query, clock.now());
      const filter = serviceLevelFilter(query, await visibleTo(actor));
      const report = await reportServiceLevels(db, actor.accountId, filter, period);
      return answer(request, reply, 'service-levels', period, report, csv.serviceLevelsCsv);
    },
  );
  app.get(
    '/reports/service-levels/conversations',
    {
      config,
      schema: {
        tags,
        summary: 'The conversations behind a figure of GET /reports/service-levels that the caller may read',
        querystring: ServiceLevelConversationsQuery,
        response: { 200: ServiceLevelConversations },
      },
    },
    async ({ actor, query }) => {
      const filter = serviceLevelFilter(query, await readableBy(visibleTo, actor));
      const period = checkPeriod(query, clock.now());
      return listServiceLevelConversations(db, pageTokens, actor.accountId, filter, period, query);
    },
  );
}

function webhookRoutes(app: App, { db, clock }: Context): void {
  app.get(
    '/reports/webhooks',
    {
      config: { access: { scope: 'manage', permission: 'webhooks.manage' } },
      schema: {
        tags,
        summary: 'Webhook deliveries by endpoint and over time',
        querystring: WebhookReportQuery,
        response: { 200: bothOf(WebhooksReport) },
      },
    },
    async (request, reply) => {
      const now = clock.now();
      const period = checkPeriod(request.query, now);
      const report = await reportWebhooks(db, request.actor.accountId, request.query, period, now);
      return answer(request, reply, 'webhooks', period, report, csv.webhooksCsv);
    },
  );
}

const bothOf = (schema: TSchema) => ({
  description: 'The figures; as CSV: UTF-8 with a byte order mark, comma-separated, CRLF',
  content: { 'application/json': { schema }, 'text/csv': { schema: ReportFile } },
});

function answer<R extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  period: Period,
  report: R,
  toCsv: ToCsv<R>,
): FastifyReply {
  const { format } = request.query as { format?: 'json' | 'csv' };
  const wantsCsv =
    format === undefined ? /\btext\/csv\b/i.test(request.headers.accept ?? '') : format === 'csv';
  reply.header('vary', 'accept');
  if (!wantsCsv) return reply.type('application/json; charset=utf-8').send(report);
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const file = `${name}-${day(period.from)}-${day(period.to)}.csv`;
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${file}"`)
    .send(toCsv(period, report));
}
