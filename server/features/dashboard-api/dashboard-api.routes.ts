import {
  Activity,
  AiPausesAnswer,
  BoardSummary,
  BoardSummaryQuery,
  Card,
  CardsQuery,
  InboxCounts,
  InboxSearchAnswer,
  InboxSearchQuery,
  InboxSession,
  TableRows,
  TableRowsQuery,
  TableSummary,
  TableSummaryQuery,
} from '../../../contract/dashboard.ts';
import { limits } from '../../../contract/limits.ts';
import { SessionsQuery } from '../../../contract/messaging/sessions.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { listPauses, searchInbox } from './dashboard-api.inbox.ts';
import { countInbox } from './dashboard-api.sql.ts';
import { listTableRows, summarizeTable } from './dashboard-api.table.ts';
import { listActivity, listCards, listInbox, requireInboxSession, summarizeBoard } from './dashboard-api.ts';

export function dashboardApiRoutes(app: App, context: Context): void {
  const { db, definitions, visibleTo } = context;
  const tags = ['Dashboard'];
  const read = { access: { scope: 'crm:read', permission: 'records.view' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/kanbans/:id/cards',
    {
      config: read,
      schema: {
        tags,
        summary:
          'The records of a kanban as cards with their latest conversation and open tasks, newest first',
        description: 'The conversation is null for a token without messages:read.',
        params,
        querystring: CardsQuery,
        response: { 200: pageOf(Card) },
      },
    },
    async (request) => {
      const current = await definitions.fresh(request.actor.accountId);
      return listCards(context, request.actor, current, request.params.id, request.query);
    },
  );

  app.get(
    '/kanbans/:id/board-summary',
    {
      config: read,
      schema: {
        tags,
        summary: 'Card counts of each column, and the sum of a field',
        params,
        querystring: BoardSummaryQuery,
        response: { 200: BoardSummary },
      },
    },
    async (request) => {
      const current = await definitions.fresh(request.actor.accountId);
      return summarizeBoard(context, request.actor, current, request.params.id, request.query);
    },
  );

  app.get(
    '/kanbans/:id/table-rows',
    {
      config: read,
      schema: {
        tags,
        summary: 'The records of a kanban by their position, in any order and of any group',
        params,
        querystring: TableRowsQuery,
        response: { 200: TableRows },
      },
    },
    async (request) => {
      const current = await definitions.fresh(request.actor.accountId);
      return listTableRows(context, request.actor, current, request.params.id, request.query);
    },
  );

  app.get(
    '/kanbans/:id/table-summary',
    {
      config: read,
      schema: {
        tags,
        summary: 'Counts and sums of all records of a kanban that match, and of each group',
        params,
        querystring: TableSummaryQuery,
        response: { 200: TableSummary },
      },
    },
    async (request) => {
      const current = await definitions.fresh(request.actor.accountId);
      return summarizeTable(context, request.actor, current, request.params.id, request.query);
    },
  );

  app.get(
    '/crm/records/:recordId/activity',
    {
      config: read,
      schema: {
        tags,
        summary: 'Who changed what of a record, with its tasks and comments, newest first',
        params: Type.Object({ recordId: Type.String() }),
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(Activity) },
      },
    },
    async (request) => {
      const visible = await visibleTo(request.actor);
      return listActivity(context, request.actor, visible, request.params.recordId, request.query);
    },
  );

  app.get(
    '/inbox/sessions',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary: 'Conversations with their last message, and whether the customer is blocked',
        querystring: SessionsQuery,
        response: { 200: pageOf(InboxSession) },
      },
    },
    async (request) => listInbox(context, request.actor, await visibleTo(request.actor), request.query),
  );

  app.get(
    '/inbox/sessions/:sessionId',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary: 'One conversation as the inbox shows it',
        params: Type.Object({ sessionId: Type.String() }),
        response: { 200: InboxSession },
      },
    },
    async (request) =>
      requireInboxSession(db, request.actor, await visibleTo(request.actor), request.params.sessionId),
  );

  app.get(
    '/inbox/sessions/:sessionId/pauses',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary:
          'Who took a conversation over from the AI and who handed it back, as long as events are kept',
        params: Type.Object({ sessionId: Type.String() }),
        response: { 200: AiPausesAnswer },
      },
    },
    async (request) => {
      const visible = await visibleTo(request.actor);
      return { items: await listPauses(db, request.actor, visible, request.params.sessionId) };
    },
  );

  app.get(
    '/inbox/search',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary: 'Find conversations by name, customer, card or last message',
        querystring: InboxSearchQuery,
        response: { 200: InboxSearchAnswer },
      },
    },
    async (request) => {
      const visible = await visibleTo(request.actor);
      return { items: await searchInbox(context, request.actor, visible, request.query) };
    },
  );

  app.get(
    '/inbox/counts',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary: 'How many conversations have something unread, and how many need attention',
        response: { 200: InboxCounts },
      },
    },
    async (request) => countInbox(db, request.actor.accountId, await visibleTo(request.actor)),
  );
}
