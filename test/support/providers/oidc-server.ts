/**
 * A real OpenID Connect provider on the loopback (oidc-provider), with a sign-in page of its own. A test can let it send ID
 * tokens with wrong claims, signed with its own key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
// @ts-expect-error: the package has no types
import Provider from 'oidc-provider';
import type { Answer, TestService } from '../service.ts';

export interface ProviderPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  [claim: string]: unknown;
}

export interface OidcServer {
  issuer: string;
  /** By the name that is typed at the sign-in page. */
  people: Map<string, ProviderPerson>;
  /** Where the client may send people back to, besides that of a service without PUBLIC_URL. */
  callbacks: Set<string>;
  /** Changes the claims of the next ID tokens; null: they stay as they are. */
  alter: ((claims: JWTPayload) => JWTPayload) | null;
  /** Signs the next ID tokens with a key that is not the provider's. */
  isForged: boolean;
  /** Settings of the service; the client accepts its callback. */
  env: Record<string, string>;
  close(): Promise<void>;
}

const client = { id: 'talkboard', secret: 'a secret of the client that is long enough' };
const page = (uid: string) => `<!doctype html><html lang="en"><title>Provider</title>
<form method="post" action="/interaction/${uid}"><label>Login <input name="login"></label>
<button>Continue</button><button name="cancel" value="true">Cancel</button></form></html>`;

const usualCallback = 'http://127.0.0.1:3000/auth/oidc/callback';

export async function startOidcServer(): Promise<OidcServer> {
  const callbacks = new Set([usualCallback]);
  let handle = (_request: IncomingMessage, response: ServerResponse): void => void response.end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const stranger = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(privateKey)), kid: 'test', alg: 'RS256', use: 'sig' };
  const people = new Map<string, ProviderPerson>();
  const answer: OidcServer = {
    issuer,
    people,
    callbacks,
    alter: null,
    isForged: false,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      { client_id: client.id, client_secret: client.secret, redirect_uris: [...callbacks] },
      { client_id: 'other', client_secret: client.secret, redirect_uris: [...callbacks] },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for the cookies of the provider'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'roles', 'workspace'],
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => [...people.values()].find((person) => person.sub === sub),
    }),
    // Nobody is asked for consent.
    async loadExistingGrant({
      oidc,
    }: {
      oidc: { session: { accountId: string }; client: { clientId: string } };
    }) {
      const grant = new provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  provider.use(
    async (
      context: { oidc?: { route?: string }; body: { id_token?: string } },
      next: () => Promise<void>,
    ) => {
      await next();
      const token = context.oidc?.route === 'token' ? context.body?.id_token : undefined;
      if (!token || !(answer.alter || answer.isForged)) return;
      const claims = { ...decodeJwt(token) };
      const signer = new SignJWT(answer.alter?.(claims) ?? claims).setProtectedHeader({
        alg: 'RS256',
        kid: 'test',
      });
      context.body = {
        ...context.body,
        id_token: await signer.sign(answer.isForged ? stranger.privateKey : privateKey),
      };
    },
  );
  provider.Client.prototype.redirectUriAllowed = (uri: string) => callbacks.has(uri);
  const callback = provider.callback();
  handle = (request, response) => {
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    if (!uid) return void callback(request, response);
    if (request.method !== 'POST') {
      return void response.setHeader('content-type', 'text/html; charset=utf-8').end(page(uid));
    }
    void text(request).then((body) => {
      const form = new URLSearchParams(body);
      const person = people.get(form.get('login') ?? '');
      const result =
        form.has('cancel') || !person
          ? { error: 'access_denied', error_description: 'cancelled' }
          : { login: { accountId: person.sub } };
      return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    });
  };
  return answer;
}

/** A browser between a service under test and the provider: keeps the cookies of both. */
export class ProviderVisit {
  readonly #service: Pick<TestService, 'call'>;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(service: Pick<TestService, 'call'>) {
    this.#service = service;
  }

  cookiesOf(place: string): Map<string, string> {
    const known = this.#cookies.get(place) ?? new Map<string, string>();
    this.#cookies.set(place, known);
    return known;
  }

  get(path: string): Promise<Answer> {
    return this.#ask('GET', path);
  }

  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const answer = await this.#service.call(method, path, {
      token: null,
      ...(body && { body }),
      headers: { cookie: header(this.cookiesOf('service')) },
    });
    const set = [answer.headers['set-cookie'] ?? []].flat();
    keep(this.cookiesOf('service'), set);
    return answer;
  }

  /** From the start to the address of the callback, without following it: as path and query. */
  async toCallback(login: string, query = ''): Promise<string> {
    const begun = await this.get(`/auth/oidc/start${query}`);
    return this.atProvider(String(begun.headers.location), login);
  }

  async atProvider(address: string, login: string): Promise<string> {
    let url = new URL(address);
    const { origin } = url;
    let form: string | null = null;
    for (let steps = 0; steps < 10; steps++) {
      const response: Response = await fetch(url, {
        redirect: 'manual',
        headers: {
          cookie: header(this.cookiesOf(origin)),
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form && { method: 'POST', body: form }),
      });
      keep(this.cookiesOf(origin), response.headers.getSetCookie());
      form = null;
      const location = response.headers.get('location');
      if (location) url = new URL(location, url);
      else if (url.pathname.startsWith('/interaction/')) form = `login=${encodeURIComponent(login)}`;
      else throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
      if (url.origin !== origin) return url.pathname + url.search;
    }
    throw new Error('the provider leads nowhere');
  }

  /** From the page of an invitation, to where the dashboard is opened in the end. */
  async accept(login: string, invitation: string): Promise<URL> {
    const begun = await this.#ask('POST', '/auth/oidc/start', { invitation });
    const answer = await this.get(await this.atProvider(begun.body.url, login));
    return new URL(String(answer.headers.location));
  }

  /** The whole way: where the dashboard is opened in the end. */
  async signIn(login: string, query = ''): Promise<URL> {
    const answer = await this.get(await this.toCallback(login, query));
    return new URL(String(answer.headers.location));
  }
}

const header = (cookies: Map<string, string>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

function keep(cookies: Map<string, string>, lines: string[]): void {
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}
