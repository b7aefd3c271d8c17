/**
 * A Strapi project with one content type, started in production mode without the admin panel and without the request
 * log. A full-access API token signs every request in. Lists are sorted by the serial key and leave their count out,
 * which is its cheapest way.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startForked } from '../../processes.ts';
import {
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

const path = '/api/customer-records';

export const strapi: RecordPeer = {
  name: `Strapi ${versionOf('@strapi/strapi')}`,
  packages: ['@strapi/strapi', '@strapi/plugin-users-permissions', 'pg'],
  async start(stage, peers, records) {
    const pool = await openDatabase(stage, 'strapi');
    const { host, port, user } = stage.connection;
    const app = join(peers.dir, 'app');
    writeProject(app, { host, port, user, database: 'strapi' });
    const { side, ready } = await startForked<{ url: string; token: string }>(
      'peers/records/strapi.process.ts',
      { NODE_ENV: 'production', PEER_DIR: app, STRAPI_TELEMETRY_DISABLED: 'true' },
      { cwd: app },
    );
    stage.onClose(() => side.kill());
    const ids = records.map((_, index) => `r${index.toString(36).padStart(23, '0')}`);
    const at = (index: number) => createdAt(index, records.length);
    const columns = [
      { name: 'document_id', type: 'text', value: (_: unknown, index: number) => ids[index] },
      ...['created_at', 'updated_at', 'published_at'].map((name) => ({
        name,
        type: 'timestamp',
        value: (_: unknown, index: number) => at(index),
      })),
      ...plainColumns('int'),
    ];
    await fillTable(pool, 'customer_records', columns, records);
    const list = (query: Record<string, string>) =>
      `${path}?${new URLSearchParams({ ...query, 'pagination[withCount]': 'false' })}`;
    return {
      side,
      headers: { ...json, authorization: `Bearer ${ready.token}` },
      ids,
      get: (id) => ({ method: 'GET', path: `${path}/${id}` }),
      newest: (limit) => ({
        method: 'GET',
        path: list({ sort: 'id:desc', 'pagination[pageSize]': String(limit) }),
      }),
      withTown: (town) => ({ method: 'GET', path: list({ 'filters[town][$eq]': town }) }),
      create: (record) => ({ method: 'POST', path, body: JSON.stringify({ data: record }) }),
      record: (body) => plainOf(body.data),
      records: (body) => body.data.map(plainOf),
      createdId: (body) => body.data.documentId,
    };
  },
};

/** What `create-strapi` writes, as far as this content type needs it. */
function writeProject(app: string, connection: object): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(app, file)), { recursive: true });
    writeFileSync(join(app, file), text);
  };
  const module = (value: unknown) => `module.exports = ${JSON.stringify(value)};\n`;
  const version = versionOf('@strapi/strapi');
  const types: Record<string, string> = { seats: 'integer', newsletter: 'boolean' };
  const attributes = plainColumns('').map(({ name }) => [name, { type: types[name] ?? 'string' }]);
  const library = JSON.stringify('@strapi/strapi');
  const id = 'api::customer-record.customer-record';
  const part = (kind: string) =>
    `module.exports = require(${library}).factories.createCore${kind}('${id}');\n`;
  const names = { singularName: 'customer-record', pluralName: 'customer-records', displayName: 'Record' };

  write(
    'package.json',
    JSON.stringify({
      name: 'bench',
      private: true,
      dependencies: { '@strapi/strapi': version, '@strapi/plugin-users-permissions': version },
      strapi: { uuid: false },
    }),
  );
  write('config/server.js', module({ host: '127.0.0.1', port: 0, app: { keys: ['a key for one run'] } }));
  write(
    'config/admin.js',
    module({
      auth: { secret: 'a secret for one run' },
      apiToken: { salt: 'a salt for one run' },
      transfer: { token: { salt: 'a salt for one run' } },
      serveAdminPanel: false,
    }),
  );
  write(
    'config/database.js',
    module({ connection: { client: 'postgres', connection, pool: { min: 0, max: poolSize } } }),
  );
  write(
    'config/plugins.js',
    module({ 'users-permissions': { config: { jwtSecret: 'a secret for one run' } } }),
  );
  const used = ['errors', 'security', 'cors', 'poweredBy', 'query', 'body', 'session', 'favicon', 'public'];
  write('config/middlewares.js', module(used.map((name) => `strapi::${name}`)));
  write(
    'src/api/customer-record/content-types/customer-record/schema.json',
    JSON.stringify({
      kind: 'collectionType',
      collectionName: 'customer_records',
      info: names,
      options: { draftAndPublish: false },
      attributes: Object.fromEntries(attributes),
    }),
  );
  write('src/api/customer-record/controllers/customer-record.js', part('Controller'));
  write('src/api/customer-record/services/customer-record.js', part('Service'));
  write('src/api/customer-record/routes/customer-record.js', part('Router'));
  write('src/index.js', module({}));
  write('public/uploads/.gitkeep', '');
}
