import { comparePairs } from '../pairs.ts';
import type { Scenario } from '../scenario.ts';

const conversations = 400;

/**
 * The offline agent replies in the background all the while, in the same process: that is part of the price. With
 * `--role api` nobody does, as nobody replies for the floor: the price of the send alone.
 */
export const messageSend: Scenario = {
  name: 'message-send',
  about: 'POST /messages to its 202 beside a bare transaction: block list, session, message, job',
  goal: 0.7,
  run({ workspace, service, floor, ...stage }) {
    const json = { 'content-type': 'application/json' };
    const names = Array.from({ length: conversations }, (_, index) => `bench-${index}`);
    return comparePairs(stage, {
      talkboard: {
        side: service,
        headers: { ...json, authorization: `Bearer ${workspace.token}` },
        requests: names.map((sessionId) => ({
          method: 'POST',
          path: '/messages',
          body: JSON.stringify({ content: 'Hello there', fromChannelIdentifier: 'api', sessionId }),
        })),
      },
      floor: {
        side: floor,
        headers: json,
        requests: names.map((sessionId) => ({
          method: 'POST',
          path: '/messages',
          body: JSON.stringify({ accountId: workspace.accountId, content: 'Hello there', sessionId }),
        })),
      },
    });
  },
};
