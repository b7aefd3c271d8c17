/**
 * The dashboard at /app/: the files of dist/dashboard, read once at start and sent as compressed by the build. Every
 * path that is not a file is a view of the application and gets its page.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { notFound } from './errors.ts';
import type { App } from './http.ts';
import { pageHeaders } from './security-headers.ts';

const access = { public: true } as const;
const options = { config: { access }, schema: { hide: true } } as const;
const builtAt = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url));

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

export interface BuiltFile {
  type: string;
  plain: Buffer;
  gzip: Buffer | null;
  brotli: Buffer | null;
}

export interface DashboardDeps {
  config: Pick<Config, 's3'>;
  /** Where the build is; tests may set another place. */
  folder?: string;
}

export function dashboardRoutes(app: App, { config, folder = builtAt }: DashboardDeps): void {
  const page = readPage(join(folder, 'index.html')) ?? notBuilt;
  // The same, with the code of a board named in it, which the browser then loads at once.
  const boardPage = readPage(join(folder, 'board.html')) ?? page;
  const files = builtFiles(folder);
  const policy = contentPolicy(config);

  const sendPage = (reply: FastifyReply, path = '') => {
    const html = path.startsWith('boards/') ? boardPage : page;
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .type('text/html; charset=utf-8')
      .headers({
        ...pageHeaders,
        'content-security-policy': policy(nonce),
        'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
      })
      .send(html.replaceAll('__CSP_NONCE__', nonce));
  };

  app.get('/', options, (_request, reply) => reply.redirect('/app/'));
  // Browsers request it for every page without an icon, such as /docs and webhook links.
  app.get('/favicon.ico', options, (_request, reply) => reply.redirect('/app/favicon.svg'));
  app.get('/app', options, (_request, reply) => reply.redirect('/app/'));
  app.get('/app/', options, (_request, reply) => sendPage(reply));
  app.get('/app/*', options, (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    const file = files.get(path);
    if (file) return sendFile(request, reply, path, file);
    // A file of an earlier release: otherwise the page would be parsed as a script.
    if (path.startsWith('assets/')) throw notFound('file');
    return sendPage(reply, path);
  });
}

const readPage = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);

export function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, file: BuiltFile) {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const coding =
    file.brotli && /\bbr\b/.test(accepted) ? 'br' : file.gzip && /\bgzip\b/.test(accepted) ? 'gzip' : null;
  if (coding) reply.header('content-encoding', coding);
  return (
    reply
      .type(file.type)
      // The names in assets/ carry a hash of their content.
      .header(
        'cache-control',
        path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      .header('x-content-type-options', 'nosniff')
      .header('vary', 'accept-encoding')
      .send(coding === 'br' ? file.brotli : coding === 'gzip' ? file.gzip : file.plain)
  );
}

/** The applications of all cells of a process send the same files: read once, and kept once in memory. */
const filesOf = new Map<string, ReadonlyMap<string, BuiltFile>>();

export function builtFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  if (!existsSync(folder)) return new Map();
  const files = filesOf.get(folder) ?? readFiles(folder);
  filesOf.set(folder, files);
  return files;
}

function readFiles(folder: string): Map<string, BuiltFile> {
  const files = new Map<string, BuiltFile>();
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : null);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || !type) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path).replaceAll('\\', '/'), {
      type,
      plain: readFileSync(path),
      gzip: read(`${path}.gz`),
      brotli: read(`${path}.br`),
    });
  }
  return files;
}

/**
 * Only what the service itself serves. Styles have a nonce because the library that locks scrolling under a dialog
 * writes a style element; files in a bucket are shown and uploaded from the bucket's address.
 */
function contentPolicy({ s3 }: Pick<Config, 's3'>): (nonce: string) => string {
  const bucket = s3.bucket ? ` ${s3.endpoint ? new URL(s3.endpoint).origin : `https://*.amazonaws.com`}` : '';
  return (nonce) =>
    [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "font-src 'self'",
      `img-src 'self' data: blob:${bucket}`,
      `media-src 'self' blob:${bucket}`,
      `connect-src 'self'${bucket}`,
      "manifest-src 'self'",
      // The settings show a preview of the chat widget.
      "frame-src 'self'",
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
}

/** Only visible if server/main.ts is started directly: `npm start` builds first. */
const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Talkboard</title>
<style nonce="__CSP_NONCE__">
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.25rem; font-weight: 600; }
  a { color: #2563eb; } @media (prefers-color-scheme: dark) { a { color: #93c5fd; } }
</style>
<h1>Talkboard is running</h1>
<p>The dashboard has not been built: <code>npm start</code> does that before it starts the service. The
<a href="/docs">API reference</a> lists every endpoint.</p>
</html>
`;
