import { comparePairs, type Target } from '../../load/pairs.ts';
import type { Scenario } from '../../scenario.ts';
import type { Twin } from '../../stage.ts';

const conversations = 400;
const names = Array.from({ length: conversations }, (_, index) => `bench-${index}`);
const json = { 'content-type': 'application/json' };

/**
 * The floor writes a job and leaves it, so the service here only answers requests (its worker would be another
 * process): the replies are not part of a send.
 */
export const messageSend: Scenario = {
  name: 'message-send',
  about: 'POST /messages to its 202 beside a bare transaction: block list, session, message, job',
  goal: 0.7,
  async run({ floor, workspace, ...stage }) {
    const service = await stage.startTwin('unanswered', { role: 'api' });
    return comparePairs(stage, { talkboard: sends(service), floor: bareSends(floor, workspace.accountId) });
  },
};

/** The same with one process for everything: the offline agent replies at the same time, on the same cores. */
export const messageSendAnswered: Scenario = {
  name: 'message-send-answered',
  about: 'the same while the process that takes the messages also writes the reply to each',
  onRequest: true,
  async measure({ floor, workspace, service, ...stage }) {
    const { ratio, talkboard } = await comparePairs(stage, {
      talkboard: sends({ service, workspace }),
      floor: bareSends(floor, workspace.accountId),
    });
    return [
      { name: 'share of the floor', value: ratio, goal: null },
      { name: 'sends per second', value: talkboard.perSecond, goal: null },
    ];
  },
};

function sends({ service, workspace }: Pick<Twin, 'service' | 'workspace'>): Target {
  return {
    side: service,
    headers: { ...json, authorization: `Bearer ${workspace.token}` },
    requests: names.map((sessionId) => ({
      method: 'POST',
      path: '/messages',
      body: JSON.stringify({ content: 'Hello there', fromChannelIdentifier: 'api', sessionId }),
    })),
  };
}

function bareSends(floor: Target['side'], accountId: string): Target {
  return {
    side: floor,
    headers: json,
    requests: names.map((sessionId) => ({
      method: 'POST',
      path: '/messages',
      body: JSON.stringify({ accountId, content: 'Hello there', sessionId }),
    })),
  };
}
