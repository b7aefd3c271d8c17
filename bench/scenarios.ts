/** The explicit list of scenarios, in the order in which they run: those that write come last. */
import type { Scenario } from './scenario.ts';
import { board } from './scenarios/board.ts';
import { liveFanout } from './scenarios/live-fanout.ts';
import { messageReply } from './scenarios/message-reply.ts';
import { messageSend } from './scenarios/message-send.ts';
import { recordCreate } from './scenarios/record-create.ts';
import { recordGet } from './scenarios/record-get.ts';
import { recordList } from './scenarios/record-list.ts';
import { search } from './scenarios/search.ts';
import { webhookDelivery } from './scenarios/webhook-delivery.ts';

export const scenarios: readonly Scenario[] = [
  recordGet,
  recordList,
  search,
  recordCreate,
  messageSend,
  messageReply,
  webhookDelivery,
  board,
  liveFanout,
];
