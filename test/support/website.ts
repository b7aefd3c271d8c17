/** A website on the loopback whose pages a test names, and which remembers what it was asked for. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Served {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}
/** A text is the body of an HTML page. */
export type Page =
  | string
  | Served
  | ((request: IncomingMessage, response: ServerResponse) => Served | string | undefined);

export interface Website {
  origin: string;
  pages: Map<string, Page>;
  /** Paths in the order of the requests, without robots.txt and the usual sitemap. */
  asked: string[];
  requests: IncomingMessage[];
  close(): Promise<void>;
}

/** Long enough to be the main text of a page. */
export const article = (title: string, text: string, more = ''): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${more}</head><body><main><h1>${title}</h1><p>${text} ${'This sentence makes the page long enough to be read as an article. '.repeat(4)}</p></main></body></html>`;

export const linksTo = (...paths: string[]): string =>
  `<ul>${paths.map((path) => `<li><a href="${path}">${path}</a></li>`).join('')}</ul>`;

export async function startWebsite(pages: Record<string, Page> = {}): Promise<Website> {
  const site: Website = { origin: '', pages: new Map(Object.entries(pages)), asked: [], requests: [], close };
  const server = createServer((request, response) => {
    const path = request.url!;
    site.requests.push(request);
    if (path !== '/robots.txt' && path !== '/sitemap.xml') site.asked.push(path);
    const found = site.pages.get(path) ?? site.pages.get('*');
    const answer = typeof found === 'function' ? found(request, response) : (found ?? { status: 404 });
    if (answer === undefined) return;
    const {
      status = 200,
      headers,
      body = '',
    } = typeof answer === 'string' ? { body: answer } : (answer as Served);
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return site;
}
