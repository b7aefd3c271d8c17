/**
 * Parse Server on Express, as its documentation shows: production mode, no logs, one class with a column per field.
 * The master key signs every request in, which is also its cheapest way: no permission is looked up.
 */
import { startForked } from '../../processes.ts';
import {
  callPeer,
  createdAt,
  fillTable,
  json,
  openDatabase,
  plainColumns,
  plainOf,
  poolSize,
  type RecordPeer,
  versionOf,
} from './peer.ts';

const keys = { appId: 'bench', masterKey: 'a master key for one run' };
const path = '/parse/classes/CustomerRecord';

export const parseServer: RecordPeer = {
  name: `Parse Server ${versionOf('parse-server')}`,
  packages: ['parse-server'],
  async start(stage, peers, records) {
    const pool = await openDatabase(stage, 'parse_server');
    const { side } = await startForked(
      'peers/records/parse-server.process.ts',
      {
        NODE_ENV: 'production',
        PEER_DIR: peers.dir,
        PEER_OPTIONS: JSON.stringify({
          ...keys,
          databaseOptions: { ...stage.connection, database: 'parse_server', max: poolSize },
        }),
      },
      { cwd: peers.dir },
    );
    stage.onClose(() => side.kill());
    const headers = {
      ...json,
      'x-parse-application-id': keys.appId,
      'x-parse-master-key': keys.masterKey,
    };
    const types = { seats: 'Number', newsletter: 'Boolean' } as Record<string, string>;
    const fields = plainColumns('').map(({ name }) => [name, { type: types[name] ?? 'String' }]);
    await callPeer(
      { side, headers },
      {
        method: 'POST',
        path: '/parse/schemas/CustomerRecord',
        body: JSON.stringify({ className: 'CustomerRecord', fields: Object.fromEntries(fields) }),
      },
    );
    const ids = records.map((_, index) => `r${index.toString(36).padStart(9, '0')}`);
    const at = (index: number) => createdAt(index, records.length);
    const columns = [
      { name: 'objectId', type: 'text', value: (_: unknown, index: number) => ids[index] },
      { name: 'createdAt', type: 'timestamptz', value: (_: unknown, index: number) => at(index) },
      { name: 'updatedAt', type: 'timestamptz', value: (_: unknown, index: number) => at(index) },
      ...plainColumns('double precision'),
    ];
    await fillTable(pool, 'CustomerRecord', columns, records);
    const where = (condition: object) => new URLSearchParams({ where: JSON.stringify(condition) });
    return {
      side,
      headers,
      ids,
      get: (id) => ({ method: 'GET', path: `${path}/${id}` }),
      newest: (limit) => ({ method: 'GET', path: `${path}?order=-createdAt&limit=${limit}` }),
      withTown: (town) => ({ method: 'GET', path: `${path}?${where({ town })}` }),
      create: (record) => ({ method: 'POST', path, body: JSON.stringify(record) }),
      record: plainOf,
      records: (body) => body.results.map(plainOf),
      createdId: (body) => body.objectId,
    };
  },
};
