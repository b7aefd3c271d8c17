/** Strapi in its own process. */
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

interface Strapi {
  load(): Promise<unknown>;
  start(): Promise<unknown>;
  service(name: string): { create(token: object): Promise<{ accessKey: string }> };
  server: { httpServer: Server };
}
interface StrapiModule {
  createStrapi(options: object): Strapi;
}

const appDir = process.env.PEER_DIR!;
const { createStrapi } = createRequire(`${appDir}/package.json`)('@strapi/strapi') as StrapiModule;
const strapi = createStrapi({ appDir, distDir: appDir, autoReload: false, serveAdminPanel: false });
await strapi.start();
const { accessKey } = await strapi
  .service('admin::api-token')
  .create({ name: 'bench', description: '', type: 'full-access', lifespan: null });
process.on('disconnect', () => process.exit(0));
const { port } = strapi.server.httpServer.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}`, token: accessKey });
