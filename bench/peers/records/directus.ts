/**
 * Directus as its documentation shows for production: installed by `bootstrap`, no request log, schema cache on (its
 * default). The static token of an administrator signs every request in, which is also its cheapest way. Its pressure
 * limiter is off: it would answer 503 while all clients wait for it. Lists are sorted by the serial key, its one index.
 *
 * The package isolated-vm comes as C++ or as a binary from elsewhere, and nothing is compiled or downloaded here. It
 * runs sandboxed extensions and scripts of flows, which none of these requests uses, so an empty module replaces it.
 */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const token = 'a-static-token-for-one-run';
const path = '/items/customer_records';
const bootstrapWithinMs = 120_000;

export const directus: RecordPeer = {
  name: `Directus ${versionOf('directus')}`,
  packages: ['directus'],
  async start(stage, peers, records) {
    const pool = await openDatabase(stage, 'directus');
    replaceNativeModule(peers.dir);
    const { host, port, user } = stage.connection;
    const env = {
      NODE_ENV: 'production',
      SECRET: 'a secret for one run',
      DB_CLIENT: 'pg',
      DB_HOST: String(host),
      DB_PORT: String(port),
      DB_USER: String(user),
      DB_DATABASE: 'directus',
      DB_POOL__MIN: '0',
      DB_POOL__MAX: String(poolSize),
      ADMIN_EMAIL: 'bench@example.com',
      ADMIN_PASSWORD: 'a password for one run',
      ADMIN_TOKEN: token,
      LOG_LEVEL: 'error',
      TELEMETRY: 'false',
      PRESSURE_LIMITER_ENABLED: 'false',
      PEER_ENTRY: peers.entry('@directus/api/server'),
    };
    const cli = join(peers.dir, 'node_modules', 'directus', 'cli.js');
    await promisify(execFile)(process.execPath, [cli, 'bootstrap'], {
      cwd: peers.dir,
      env: { PATH: process.env.PATH, ...env },
      timeout: bootstrapWithinMs,
    });
    const { side } = await startForked('peers/records/directus.process.ts', env, { cwd: peers.dir });
    stage.onClose(() => side.kill());
    const headers = { ...json, authorization: `Bearer ${token}` };
    const types: Record<string, string> = { seats: 'integer', newsletter: 'boolean' };
    const fields = [
      { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } },
      { field: 'date_created', type: 'timestamp', meta: { special: ['date-created'] }, schema: {} },
      ...plainColumns('').map(({ name }) => ({
        field: name,
        type: types[name] ?? 'string',
        schema: {},
        meta: {},
      })),
    ];
    await callPeer(
      { side, headers },
      {
        method: 'POST',
        path: '/collections',
        body: JSON.stringify({ collection: 'customer_records', schema: {}, meta: {}, fields }),
      },
    );
    const columns = [
      {
        name: 'date_created',
        type: 'timestamptz',
        value: (_: unknown, index: number) => createdAt(index, records.length),
      },
      ...plainColumns('int'),
    ];
    await fillTable(pool, 'customer_records', columns, records);
    const { rows } = await pool.query('select id from customer_records order by id');
    return {
      side,
      headers,
      ids: rows.map(({ id }) => String(id)),
      get: (id) => ({ method: 'GET', path: `${path}/${id}` }),
      newest: (limit) => ({ method: 'GET', path: `${path}?sort=-id&limit=${limit}` }),
      withTown: (town) => ({
        method: 'GET',
        path: `${path}?${new URLSearchParams({ 'filter[town][_eq]': town })}`,
      }),
      create: (record) => ({ method: 'POST', path, body: JSON.stringify(record) }),
      record: (body) => plainOf(body.data),
      records: (body) => body.data.map(plainOf),
      createdId: (body) => String(body.data.id),
    };
  },
};

function replaceNativeModule(dir: string): void {
  const folder = join(dir, 'node_modules', 'isolated-vm');
  rmSync(join(folder, 'isolated-vm.js'), { force: true });
  writeFileSync(join(folder, 'isolated-vm.js'), 'module.exports = {};\n');
}
