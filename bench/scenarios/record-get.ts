import { comparePairs } from '../load/pairs.ts';
import type { Scenario } from '../scenario.ts';

const idsAsked = 500;

export const recordGet: Scenario = {
  name: 'record-get',
  about: 'GET /crm/records/:recordId beside a select by key',
  goal: 0.7,
  run({ random, recordIds, workspace, service, floor, ...stage }) {
    const ids = Array.from({ length: idsAsked }, () => random.pick(recordIds));
    return comparePairs(stage, {
      talkboard: {
        side: service,
        headers: { authorization: `Bearer ${workspace.token}` },
        requests: ids.map((id) => ({ method: 'GET', path: `/crm/records/${id}` })),
      },
      floor: {
        side: floor,
        headers: {},
        requests: ids.map((id) => ({ method: 'GET', path: `/records/${workspace.accountId}/${id}` })),
      },
    });
  },
};
