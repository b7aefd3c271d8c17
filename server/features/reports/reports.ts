/** Figures over time, computed from the rows themselves (docs/reports.md). */
export { aiFilter, listAiConversations, reportAi } from './reports.ai.ts';
export {
  conversationFilter,
  reportAnswers,
  reportFirstResponse,
  reportHandovers,
  reportMessagesPerHour,
  reportNewConversations,
} from './reports.conversations.ts';
export { reportCopilot } from './reports.copilot.ts';
export { checkPeriod, type Period } from './reports.period.ts';
export {
  chooseKanbans,
  type ReportedKanbans,
  reportRecordsByStatus,
  reportStatusConversion,
} from './reports.records.ts';
export { reportResolutions } from './reports.resolutions.ts';
export { reportSatisfaction } from './reports.satisfaction.ts';
export {
  listServiceLevelConversations,
  reportServiceLevels,
  serviceLevelFilter,
} from './reports.service-levels.ts';
export { reportWebhooks } from './reports.webhooks.ts';
