/** Directus in its own process. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const { createServer } = (await import(process.env.PEER_ENTRY!)) as { createServer(): Promise<Server> };
const http = await createServer();
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
process.on('disconnect', () => process.exit(0));
process.send?.({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
