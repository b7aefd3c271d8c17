/** The explicit list of scenarios, in the order in which they run: those that write come last. */
import { regression } from './regression/regression.ts';
import type { Scenario } from './scenario.ts';
import { automation } from './scenarios/automation.ts';
import { backtest } from './scenarios/backtest.ts';
import { board } from './scenarios/browser/board.ts';
import { tableScroll } from './scenarios/browser/table-scroll.ts';
import { businessMinutes } from './scenarios/business-minutes.ts';
import { cellCost } from './scenarios/cell-cost.ts';
import { cellIdle } from './scenarios/cell-idle.ts';
import { connectorIdle } from './scenarios/connectors/connector-idle.ts';
import { connectorInbound } from './scenarios/connectors/connector-inbound.ts';
import { connectorReply } from './scenarios/connectors/connector-reply.ts';
import { filters } from './scenarios/filters.ts';
import { growth } from './scenarios/growth.ts';
import { knowledge } from './scenarios/knowledge/knowledge.ts';
import { knowledgeReplies } from './scenarios/knowledge/knowledge-replies.ts';
import { knowledgeSync } from './scenarios/knowledge/knowledge-sync.ts';
import { liveFanout } from './scenarios/live-fanout.ts';
import { memoryAtRest } from './scenarios/memory-at-rest.ts';
import { messageReply } from './scenarios/messages/message-reply.ts';
import { messageSearch } from './scenarios/messages/message-search.ts';
import { messageSend, messageSendAnswered } from './scenarios/messages/message-send.ts';
import { scheduledLate } from './scenarios/messages/scheduled-late.ts';
import { overload } from './scenarios/overload.ts';
import { recordCreate } from './scenarios/record-create.ts';
import { recordCreateIndexed } from './scenarios/record-create-indexed.ts';
import { recordGet } from './scenarios/record-get.ts';
import { recordList } from './scenarios/record-list.ts';
import { recordLookup } from './scenarios/record-lookup.ts';
import { recordPeers } from './scenarios/record-peers.ts';
import { reportsScenario } from './scenarios/reports.ts';
import { search } from './scenarios/search/search.ts';
import { searchDuringImport } from './scenarios/search/search-during-import.ts';
import { searchFirst } from './scenarios/search/search-first.ts';
import { searchOwners } from './scenarios/search/search-owners.ts';
import { searchPeers } from './scenarios/search/search-peers.ts';
import { start } from './scenarios/start.ts';
import { strangers } from './scenarios/strangers.ts';
import { webhookDelivery } from './scenarios/webhook-delivery.ts';
import { webhookPeers } from './scenarios/webhook-peers.ts';
import { simulate } from './simulate/simulate.ts';

export const scenarios: readonly Scenario[] = [
  memoryAtRest,
  start,
  businessMinutes,
  recordGet,
  recordList,
  recordLookup,
  search,
  searchFirst,
  filters,
  searchPeers,
  searchOwners,
  recordCreate,
  recordCreateIndexed,
  messageSend,
  messageSendAnswered,
  messageSearch,
  knowledge,
  knowledgeReplies,
  knowledgeSync,
  messageReply,
  automation,
  scheduledLate,
  connectorInbound,
  connectorReply,
  connectorIdle,
  webhookDelivery,
  webhookPeers,
  recordPeers,
  overload,
  strangers,
  searchDuringImport,
  growth,
  board,
  tableScroll,
  liveFanout,
  reportsScenario,
  backtest,
  regression,
  cellIdle,
  cellCost,
  simulate,
];
