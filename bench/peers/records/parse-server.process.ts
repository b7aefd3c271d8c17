/** Parse Server in its own process. */
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

interface ParseModule {
  ParseServer: new (options: object) => { app: object; start(): Promise<unknown> };
}
type Express = () => RequestListener & { use(path: string, app: object): void };

const requirePeer = createRequire(`${process.env.PEER_DIR}/package.json`);
const { ParseServer } = requirePeer('parse-server') as ParseModule;
const express = requirePeer('express') as Express;

const http = createServer();
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
const parse = new ParseServer({
  ...(JSON.parse(process.env.PEER_OPTIONS!) as object),
  databaseURI: 'postgres://localhost/',
  serverURL: `${url}/parse`,
  verifyServerUrl: false,
  silent: true,
  logsFolder: null,
  // The documentation's advice for production.
  allowClientClassCreation: false,
});
await parse.start();
const app = express();
app.use('/parse', parse.app);
http.on('request', app);
process.on('disconnect', () => process.exit(0));
process.send?.({ url });
