import type { App } from '../../server/platform/http/http.ts';

/** Of its server, which listens from the first call on: several test files may use the same service. */
export async function addressOf(app: App): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  return app.listeningOrigin;
}
