/** The front door: `/` leads to the dashboard's address. */
import type { App } from './http.ts';

const access = { public: true } as const;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Talkboard</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.25rem; font-weight: 600; }
  a { color: #2563eb; } @media (prefers-color-scheme: dark) { a { color: #93c5fd; } }
</style>
<h1>Talkboard is running</h1>
<p>This release is used through its API. The <a href="/docs">API reference</a> lists every endpoint; the terminal that
started the service shows the login and the first requests to try.</p>
</html>
`;

export function welcomeRoutes(app: App): void {
  app.get('/', { config: { access }, schema: { hide: true } }, (_request, reply) => reply.redirect('/app/'));
  app.get('/app', { config: { access }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/app/'),
  );
  app.get('/app/', { config: { access }, schema: { hide: true } }, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page),
  );
}
