import { lookupKey } from '../../server/features/records/records.ts';
import { comparePairs } from '../load/pairs.ts';
import type { Scenario } from '../scenario.ts';

const asked = 500;

export const recordLookup: Scenario = {
  name: 'record-lookup',
  about: 'GET /crm/search by the exact value of a field beside a select by its key',
  goal: 0.6,
  async run({ workspace, service, floor, pool, ...stage }) {
    const { accountId, fieldIds, token } = workspace;
    const emailId = fieldIds[1]!;
    const { rows } = await pool.query(
      'select custom_fields ->> $1 as value from records order by random() limit $2',
      [emailId, asked],
    );
    const values = rows.map((row) => row.value as string);
    return comparePairs(stage, {
      talkboard: {
        side: service,
        headers: { authorization: `Bearer ${token}` },
        requests: values.map((value) => ({
          method: 'GET',
          path: `/crm/search?customFieldId=${emailId}&customFieldValue=${encodeURIComponent(value)}`,
        })),
      },
      floor: {
        side: floor,
        headers: {},
        requests: values.map((value) => ({
          method: 'GET',
          path: `/lookup/${accountId}/${lookupKey(emailId, value)}`,
        })),
      },
    });
  },
};
