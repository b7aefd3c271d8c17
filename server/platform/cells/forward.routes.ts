/** Requests whose account is known by their body only: the steps of a sign-in, links, and the start of a widget's chat. */
import type { FastifyRequest } from 'fastify';
import type { App } from '../http/http.ts';
import { accountInTag, linkTokenLength } from './account-tag.ts';

/** What a body names. */
export type InBody = { email: string } | { channel: string } | { account: string };
/** The app of the cell, null if it is this one. */
export type Forward = (named: InBody) => Promise<App | null>;

const routes: { [route: string]: (body: Record<string, unknown>) => InBody | null } = {
  'POST /auth/login': ({ email }) => (typeof email === 'string' ? { email } : null),
  'POST /auth/login/factor': ({ ticket }) => ofAccount(accountInTag(String(ticket).split('.', 1)[0]!, 0)),
  'POST /auth/passkeys/sign-in': ({ passkey }) => ofAccount(accountOfPasskey(passkey)),
  'POST /auth/invitations/look-up': byLink,
  'POST /auth/invitations/accept': byLink,
  'POST /auth/password-reset/confirm': byLink,
  'POST /auth/login-link': byLink,
  'POST /widget/sessions': ({ channel }) => (typeof channel === 'string' ? { channel } : null),
};

const ofAccount = (account: string | null): InBody | null => (account === null ? null : { account });

/** The token of a link begins with its account. */
function byLink({ token }: Record<string, unknown>): InBody | null {
  return ofAccount(typeof token === 'string' ? accountInTag(token, linkTokenLength) : null);
}

/** A passkey's user handle begins with the account: 16 bytes of 32. */
function accountOfPasskey(passkey: unknown): string | null {
  const handle = (passkey as { response?: { userHandle?: unknown } } | null)?.response?.userHandle;
  if (typeof handle !== 'string') return null;
  return accountInTag(Buffer.from(handle, 'base64url').subarray(0, 16).toString('base64url'), 0);
}

/** About the connection, not the answer. */
const ownHeaders = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];

export function forwardByBody(app: App, forward: Forward): void {
  app.addHook('preValidation', async (request, reply) => {
    const named = namedIn(request);
    const target = named && (await forward(named));
    if (!target) return;
    const { method, url, headers, rawBody, raw } = request;
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

function namedIn({ method, routeOptions, body }: FastifyRequest): InBody | null {
  const read = routes[`${method} ${routeOptions.url}`];
  return read && typeof body === 'object' && body !== null ? read(body as Record<string, unknown>) : null;
}
