/** The explicit list of everything that answers requests: hooks first, then every feature's routes. */
import cookie from '@fastify/cookie';
import websocket from '@fastify/websocket';
import { liveLimits } from '../contract/realtime.ts';
import type { Context, ServiceContext } from './context.ts';
import { installAccess } from './features/accounts/accounts.access.routes.ts';
import { accountRoutes } from './features/accounts/accounts.admin.routes.ts';
import { tokensRoutes } from './features/accounts/accounts.tokens.routes.ts';
import { usersRoutes } from './features/accounts/accounts.users.routes.ts';
import { securityRoutes } from './features/accounts/addresses/accounts.security.routes.ts';
import { accountLifecycleRoutes } from './features/accounts/lifecycle/accounts.lifecycle.routes.ts';
import { loginRoutes } from './features/accounts/login/accounts.login.routes.ts';
import { rolesRoutes } from './features/accounts/roles/accounts.roles.routes.ts';
import { agentTestsRoutes } from './features/agent-tests/agent-tests.routes.ts';
import { articlesRoutes } from './features/ai-replies/ai-replies.articles.routes.ts';
import { aiRepliesRoutes } from './features/ai-replies/ai-replies.routes.ts';
import { toolCallsRoutes } from './features/ai-replies/ai-replies.tool-calls.routes.ts';
import { attachmentsRoutes } from './features/attachments/attachments.routes.ts';
import { automationHooksRoutes } from './features/automations/automations.hooks.routes.ts';
import { automationsRoutes } from './features/automations/automations.routes.ts';
import { automationRunsRoutes } from './features/automations/automations.runs.routes.ts';
import { automationTryingRoutes } from './features/automations/trying/trying.routes.ts';
import { blockedContactsRoutes } from './features/blocked-contacts/blocked-contacts.routes.ts';
import { businessHoursRoutes } from './features/business-hours/business-hours.routes.ts';
import { agentsRoutes } from './features/channels/agents/agents.routes.ts';
import { channelsRoutes } from './features/channels/channels.routes.ts';
import { commentsRoutes } from './features/comments/comments.routes.ts';
import { connectorInboundRoutes } from './features/connectors/connectors.inbound.routes.ts';
import { connectorsRoutes } from './features/connectors/connectors.routes.ts';
import { mailRoutes } from './features/connectors/mail/connectors.mail.routes.ts';
import { mailViewRoutes } from './features/connectors/mail-view/mail-view.routes.ts';
import { templatesRoutes } from './features/connectors/templates/connectors.templates.routes.ts';
import { contactsRoutes } from './features/contacts/contacts.routes.ts';
import { copilotRoutes } from './features/copilot/copilot.routes.ts';
import { dashboardApiRoutes } from './features/dashboard-api/dashboard-api.routes.ts';
import { savedRoutes } from './features/dashboard-api/dashboard-api.saved.routes.ts';
import { demoRoutes } from './features/first-run/demo/demo.routes.ts';
import { firstRunRoutes } from './features/first-run/first-run.routes.ts';
import { helpCenterRoutes } from './features/help-center/help-center.routes.ts';
import { helpCenterPageRoutes } from './features/help-center/pages/help-center.pages.routes.ts';
import { importsRoutes } from './features/imports/imports.routes.ts';
import { streamedImportRoutes } from './features/imports/stream/imports.stream.routes.ts';
import { inboxViewsRoutes } from './features/inbox-views/inbox-views.routes.ts';
import { backupsRoutes } from './features/instance/backups.routes.ts';
import { releasesRoutes } from './features/instance/releases.routes.ts';
import { systemRoutes } from './features/instance/system.routes.ts';
import { fieldsRoutes } from './features/kanbans/kanbans.fields.routes.ts';
import { kanbansRoutes } from './features/kanbans/kanbans.routes.ts';
import { visibleTo } from './features/kanbans/kanbans.ts';
import { knowledgeRoutes } from './features/knowledge/knowledge.routes.ts';
import { labelsRoutes } from './features/labels/labels.routes.ts';
import { macrosRoutes } from './features/macros/macros.routes.ts';
import { messageSearchRoutes } from './features/message-search/message-search.routes.ts';
import { messagesRoutes } from './features/messages/messages.routes.ts';
import { startRoutes } from './features/messages/messages.start.routes.ts';
import { notesRoutes } from './features/messages/notes/notes.routes.ts';
import { scheduledRoutes } from './features/messages/outgoing/messages.scheduled.routes.ts';
import { transcriptsRoutes } from './features/messages/transcripts/transcripts.routes.ts';
import { erasuresRoutes } from './features/privacy/erasures/erasures.routes.ts';
import { retentionRoutes } from './features/privacy/retention/retention.routes.ts';
import { notificationsRoutes } from './features/realtime/realtime.notifications.routes.ts';
import { realtimeRoutes } from './features/realtime/realtime.routes.ts';
import { openLive } from './features/realtime/realtime.ts';
import { exportRoutes } from './features/records/csv/records.export.routes.ts';
import { recordsRoutes } from './features/records/records.routes.ts';
import { reportsRoutes } from './features/reports/reports.routes.ts';
import { searchRoutes } from './features/search/search.routes.ts';
import { serviceLevelsRoutes } from './features/service-levels/service-levels.routes.ts';
import { sessionsRoutes } from './features/sessions/sessions.routes.ts';
import { invitationsRoutes } from './features/sign-in/invitations/sign-in.invitations.routes.ts';
import { linksRoutes } from './features/sign-in/links/sign-in.links.routes.ts';
import { oidcRoutes } from './features/sign-in/oidc/sign-in.oidc.routes.ts';
import { tasksRoutes } from './features/tasks/tasks.routes.ts';
import { teamsRoutes } from './features/teams/teams.routes.ts';
import { mcpRoutes } from './features/tools/mcp/mcp.routes.ts';
import { toolsRoutes } from './features/tools/tools.routes.ts';
import { webhookInboxRoutes } from './features/webhooks/inbox/webhook-inbox.routes.ts';
import { webhooksRoutes } from './features/webhooks/webhooks.routes.ts';
import { forecastEvents } from './features/webhooks/webhooks.ts';
import { visitorLiveRoutes } from './features/widget-api/widget-api.live.routes.ts';
import { widgetPageRoutes } from './features/widget-api/widget-api.pages.routes.ts';
import { visitorRoutes } from './features/widget-api/widget-api.routes.ts';
import { widgetSettingsRoutes } from './features/widget-api/widget-api.settings.routes.ts';
import {
  createVisitorFeed,
  createVisitorGuard,
  createVisitorTokens,
} from './features/widget-api/widget-api.ts';
import { forwardByBody } from './platform/cells/forward.ts';
import { dashboardRoutes } from './platform/http/dashboard.routes.ts';
import { type App, createHttp } from './platform/http/http.ts';
import { operationsRoutes } from './platform/http/operations.routes.ts';
import { documentRoutes } from './platform/http/reference/api-reference.routes.ts';
import { transportHeaders } from './platform/http/security-headers.ts';
import { createWrites } from './platform/http/write.ts';
import { nodesRoutes } from './platform/nodes/nodes.routes.ts';

export async function createApp(service: ServiceContext): Promise<App> {
  const { write, storeRejection } = createWrites({
    ...service,
    // Null on public routes and before the caller is known.
    callerOf: (request) => request.actor ?? null,
    forecast: forecastEvents,
  });
  const context: Context = {
    ...service,
    write,
    visibleTo: (actor) => visibleTo(actor, service.definitions),
  };
  const { trustProxy, publicUrl } = context.config;
  const app = createHttp(context.logger, storeRejection, {
    trustProxy,
    headers: transportHeaders(publicUrl),
  });
  let accepting = true;
  app.addHook('preClose', async () => {
    accepting = false;
  });
  const live = await openLive(context);
  await app.register(websocket, {
    options: { maxPayload: liveLimits.frameBytes, perMessageDeflate: false, clientTracking: false },
    preClose: (done) => void live.close().finally(() => done()),
    // A socket's errors are handled by its connection.
    errorHandler: () => {},
  });
  // Before the access hooks: the reference page is public and its plugin declares nothing.
  documentRoutes(app, context.config.publicUrl);
  const tokens = createVisitorTokens(context.secrets);
  const guard = createVisitorGuard({ ...context, tokens });
  installAccess(app, { ...context, onUnknownCaller: guard.refusedElsewhere });
  if (context.forwarding) forwardByBody(app, context.forwarding);
  operationsRoutes(app, { ...context, accepting: () => accepting });
  if (context.nodes) await nodesRoutes(app, context.nodes);
  dashboardRoutes(app, context);
  // In a separate scope: only these routes read and set cookies.
  await app.register(async (scope) => {
    await scope.register(cookie);
    loginRoutes(scope as App, context);
    oidcRoutes(scope as App, context);
    linksRoutes(scope as App, context);
  });
  usersRoutes(app, context);
  rolesRoutes(app, context);
  invitationsRoutes(app, context);
  tokensRoutes(app, context);
  accountRoutes(app, context);
  accountLifecycleRoutes(app, context);
  systemRoutes(app, context);
  securityRoutes(app, context);
  businessHoursRoutes(app, context);
  serviceLevelsRoutes(app, context);
  teamsRoutes(app, context);
  labelsRoutes(app, context);
  kanbansRoutes(app, context);
  fieldsRoutes(app, context);
  tasksRoutes(app, context);
  commentsRoutes(app, context);
  recordsRoutes(app, context);
  streamedImportRoutes(app, context);
  exportRoutes(app, context);
  searchRoutes(app, context);
  importsRoutes(app, context);
  knowledgeRoutes(app, context);
  helpCenterRoutes(app, context);
  helpCenterPageRoutes(app, context);
  channelsRoutes(app, context);
  agentsRoutes(app, context);
  blockedContactsRoutes(app, context);
  attachmentsRoutes(app, context);
  sessionsRoutes(app, context);
  contactsRoutes(app, context);
  erasuresRoutes(app, context);
  retentionRoutes(app, context);
  backupsRoutes(app, context);
  messagesRoutes(app, context);
  messageSearchRoutes(app, context);
  startRoutes(app, context);
  notesRoutes(app, context);
  transcriptsRoutes(app, context);
  toolsRoutes(app, context);
  mcpRoutes(app, context);
  macrosRoutes(app, context);
  inboxViewsRoutes(app, context);
  connectorsRoutes(app, context);
  mailRoutes(app, context);
  templatesRoutes(app, context);
  scheduledRoutes(app, context);
  mailViewRoutes(app, context);
  await connectorInboundRoutes(app, context);
  aiRepliesRoutes(app, context);
  agentTestsRoutes(app, context);
  automationsRoutes(app, context);
  automationTryingRoutes(app, context);
  automationRunsRoutes(app, context);
  automationHooksRoutes(app, context);
  toolCallsRoutes(app, context);
  articlesRoutes(app, context);
  dashboardApiRoutes(app, context);
  savedRoutes(app, context);
  copilotRoutes(app, context);
  reportsRoutes(app, context);
  releasesRoutes(app);
  demoRoutes(app, context);
  firstRunRoutes(app, context);
  webhookInboxRoutes(app, context);
  webhooksRoutes(app, context);
  realtimeRoutes(app, live);
  notificationsRoutes(app, context);
  const widget = { ...context, tokens, guard, feed: createVisitorFeed(live, context) };
  widgetSettingsRoutes(app, context);
  widgetPageRoutes(app, context);
  visitorRoutes(app, widget);
  visitorLiveRoutes(app, widget);
  return app;
}
