/** Requests whose account is known by their body only are answered by the app of its cell. */
import type { App } from '../http/http.ts';

/** What a body names. */
export type InBody = { email: string } | { channel: string } | { account: string };

export interface Forwarding {
  /** By method and route. */
  namedInBody: { [route: string]: (body: Record<string, unknown>) => InBody | null };
  /** The app of the cell, null if it is this one. */
  appFor(named: InBody): Promise<App | null>;
}

/** About the connection, not the answer. */
const ownHeaders = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];

export function forwardByBody(app: App, { namedInBody, appFor }: Forwarding): void {
  app.addHook('preValidation', async (request, reply) => {
    const { method, routeOptions, url, headers, body, rawBody, raw } = request;
    const named = isObject(body) ? namedInBody[`${method} ${routeOptions.url}`]?.(body) : null;
    const target = named && (await appFor(named));
    if (!target) return;
    // It has its place in this app's queue already, and gets another one in that app.
    request.stopCounting();
    const answer = await target.inject({
      method: method as 'POST',
      url,
      headers: headers as Record<string, string>,
      payload: rawBody ?? '',
      remoteAddress: raw.socket.remoteAddress ?? '',
    });
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !ownHeaders.includes(name)) reply.header(name, value);
    }
    return reply.code(answer.statusCode).send(answer.rawPayload);
  });
}

const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null;
