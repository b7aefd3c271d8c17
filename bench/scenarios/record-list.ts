import { comparePairs } from '../load/pairs.ts';
import type { Scenario } from '../scenario.ts';

export const recordList: Scenario = {
  name: 'record-list',
  about: 'GET /crm/records, the 20 newest, beside a select of the same rows',
  goal: 0.7,
  run({ workspace, service, floor, ...stage }) {
    return comparePairs(stage, {
      talkboard: {
        side: service,
        headers: { authorization: `Bearer ${workspace.token}` },
        requests: [{ method: 'GET', path: '/crm/records' }],
      },
      floor: {
        side: floor,
        headers: {},
        requests: [{ method: 'GET', path: `/records/${workspace.accountId}` }],
      },
    });
  },
};
