import type { Pool } from 'pg';
import { sampleRecord } from '../corpus/sample-records.ts';
import { comparePairs } from '../load/pairs.ts';
import type { Scenario } from '../scenario.ts';

const distinctBodies = 500;

export const recordCreate: Scenario = {
  name: 'record-create',
  about: 'POST /crm/records with seven custom fields and its event beside a bare insert',
  goal: 0.6,
  async run({ random, workspace, service, floor, ...stage }) {
    const { accountId, kanbanId, fieldIds, token } = workspace;
    const json = { 'content-type': 'application/json' };
    const records = Array.from({ length: distinctBodies }, () => sampleRecord(random, fieldIds));
    const before = await countRows(stage.pool);
    const comparison = await comparePairs(stage, {
      talkboard: {
        side: service,
        headers: { ...json, authorization: `Bearer ${token}` },
        requests: records.map((record) => ({
          method: 'POST',
          path: '/crm/records',
          body: JSON.stringify(record),
        })),
      },
      floor: {
        side: floor,
        headers: json,
        requests: records.map((record) => ({
          method: 'POST',
          path: '/records',
          body: JSON.stringify({ accountId, kanbanId, ...record }),
        })),
      },
    });
    const after = await countRows(stage.pool);
    const written = { records: after.records - before.records, events: after.events - before.events };
    // Requests cut off at the end of a burst may have been written too, so there may be more, never fewer.
    if (written.records < comparison.talkboard.succeeded || written.records !== written.events) {
      throw new Error(
        `${comparison.talkboard.succeeded} creates were answered, but there are ${written.records} records and ${written.events} events`,
      );
    }
    return comparison;
  },
};

async function countRows(pool: Pool): Promise<{ records: number; events: number }> {
  const { rows } = await pool.query(
    `select (select count(*)::int from records) as records,
      (select count(*)::int from events where event = 'crm_record_created') as events`,
  );
  return rows[0];
}
