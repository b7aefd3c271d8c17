import { fillRecords } from '../corpus/fill.ts';
import { sampleRecord } from '../corpus/sample-records.ts';
import { openClient } from '../load/client.ts';
import { comparePairs } from '../load/pairs.ts';
import type { Scenario } from '../scenario.ts';

const distinctBodies = 500;
const searchEveryMs = 500;

/**
 * With the index: the account is searched twice a second, so its index takes in every record as it is written, and
 * the two PostgreSQL indexes of search are maintained. Without: a second service on a second database with the same
 * records, where nobody searches and these indexes are dropped. (The hashes of the values are computed on both.)
 */
export const recordCreateIndexed: Scenario = {
  name: 'record-create-indexed',
  about: 'POST /crm/records while the account is searched beside the same service without what search needs',
  goal: 0.8,
  onRequest: true,
  async run({ random, workspace, service, ...stage }) {
    const off = await stage.startTwin('without_search');
    await fillRecords(off.pool, off.workspace, stage.options.records, random);
    await off.pool.query('drop index records_changed, records_lookup');
    // An index of that name must exist: the worker maintains it. This one never gets an entry.
    await off.pool.query('create index records_lookup on records using gin (lookup_keys) where false');
    const client = openClient(service.url, workspace.token);
    await client.call('GET', '/crm/search?q=lovelace');
    let isOver = false;
    const searching = (async () => {
      while (!isOver) {
        await client.call('GET', `/crm/search?q=${random.pick(['lovel', 'hoper', 'turing', 'utrecht'])}`);
        await new Promise((resolve) => setTimeout(resolve, searchEveryMs));
      }
    })();
    const requests = (fieldIds: readonly string[]) =>
      Array.from({ length: distinctBodies }, () => ({
        method: 'POST',
        path: '/crm/records',
        body: JSON.stringify(sampleRecord(random, fieldIds)),
      }));
    const headers = (token: string) => ({
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    });
    try {
      return await comparePairs(stage, {
        talkboard: {
          side: service,
          headers: headers(workspace.token),
          requests: requests(workspace.fieldIds),
        },
        floor: {
          side: off.service,
          headers: headers(off.workspace.token),
          requests: requests(off.workspace.fieldIds),
        },
      });
    } finally {
      isOver = true;
      await searching;
      await client.close();
    }
  },
};
