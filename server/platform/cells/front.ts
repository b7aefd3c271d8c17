/**
 * Gives each request to the app of its cell, before routing. The home cell's app owns the listening socket; the others
 * have all its routes too, but never listen.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { version } from '../../../contract/version.ts';
import { answerOf, phraseOf } from '../http/error-handler.ts';
import { AppError, unavailable } from '../http/errors.ts';
import type { App } from '../http/http.ts';
import { newId } from '../ids.ts';
import { homeCell } from './cell-settings.ts';
import type { RequestHead } from './locator.ts';

export interface FrontDeps {
  home: App;
  /** Null: the cell is not open. */
  appOf(cell: string): App | null;
  locate(head: RequestHead): string | Promise<string>;
  /** A socket that stays with its cell. */
  onUpgrade?(request: IncomingMessage, socket: Duplex): void;
  /** Sent with every response. */
  headers: Record<string, string>;
}

export interface Front {
  /** For tests: a request without a socket, to the app of its cell. */
  inject: App['inject'];
}

export function openFront({ home, appOf, locate, onUpgrade, headers }: FrontDeps): Front {
  const { server } = home;
  const own = {
    request: server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[],
    upgrade: server.listeners('upgrade') as ((
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
    ) => void)[],
  };
  const appIn = (cell: string): App => {
    const app = cell === homeCell ? home : appOf(cell);
    if (!app) throw unavailable(`the cell ${cell} is not reachable right now`, 5);
    return app;
  };

  const route = (request: IncomingMessage, response: ServerResponse, cell: string) => {
    const app = appIn(cell);
    if (app !== home) app.server.emit('request', request, response);
    else for (const listener of own.request) listener.call(server, request, response);
  };
  const refuse = (response: ServerResponse, error: unknown) => {
    const answer = refusal(error);
    response.writeHead(answer.status, { ...headers, ...answer.headers }).end(answer.text);
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    try {
      const cell = locate(request);
      if (typeof cell === 'string') route(request, response, cell);
      else cell.then((found) => route(request, response, found)).catch((error) => refuse(response, error));
    } catch (error) {
      refuse(response, error);
    }
  });

  server.removeAllListeners('upgrade');
  server.on('upgrade', (request, socket: Duplex, head) => {
    // Node has taken its own listener away.
    const onError = () => socket.destroy();
    socket.on('error', onError);
    void (async () => {
      try {
        const app = appIn(await locate(request));
        socket.off('error', onError);
        onUpgrade?.(request, socket);
        if (app !== home) app.server.emit('upgrade', request, socket, head);
        else for (const listener of own.upgrade) listener.call(server, request, socket, head);
      } catch (error) {
        const answer = refusal(error);
        const lines = Object.entries({ ...headers, ...answer.headers, connection: 'close' });
        socket.end(
          [
            `HTTP/1.1 ${answer.status} ${phraseOf(answer.status)}`,
            ...lines.map(([name, value]) => `${name}: ${value}`),
            '',
            answer.text,
          ].join('\r\n'),
        );
      }
    })();
  });

  const inject = async (options: { method?: string; url?: string; headers?: RequestHead['headers'] }) => {
    const lowered = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    const cell = await locate({ ...options, headers: Object.fromEntries(lowered) });
    return appIn(cell).inject(options as never);
  };
  return { inject: inject as unknown as App['inject'] };
}

function refusal(error: unknown): { status: number; headers: Record<string, string>; text: string } {
  const requestId = newId();
  const shown = error instanceof AppError ? error : unavailable('the database is not reachable right now');
  const { status, headers, body } = answerOf(shown, requestId);
  const text = JSON.stringify(body);
  return {
    status,
    text,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'x-request-id': requestId,
      'x-api-version': version,
      ...headers,
    },
  };
}
