/**
 * What a request says about the account it is for: where each feature puts it, in the head or in the body. Nothing is verified here: it only decides which cell answers, and that cell
 * then checks the credential like any other.
 */
import { visitorTokenPrefix } from '../contract/widget/widget-protocol.ts';
import type { LookedUp } from './cells.places.sql.ts';
import { accountInTag, linkTokenLength } from './platform/cells/account-tag.ts';
import type { InBody } from './platform/cells/forward.ts';
import type { Place, RequestHead } from './platform/cells/locator.ts';
import { isId } from './platform/ids.ts';

/** Random characters of each, after the tag. */
const lengths = { token: 43, family: 32, ticket: 43, inbox: 43 };
/** The account of these is in the body, in a cookie of the provider's or nowhere: the home cell's app forwards them. */
const homeAuth = ['login', 'methods', 'oidc', 'invitations', 'password-reset', 'login-link'];
const refreshCookie = /(?:^|;\s*)talkboard_refresh=([^;]*)/;

export function placeOf({ url = '/', headers }: RequestHead): Place {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const [, first = '', second = ''] = path.split('/', 3);
  switch (first) {
    case 'files':
    case 'mail-view':
      return byAccount(second);
    case 'help':
      return second === '' || second === '_' ? null : { kind: 'help', value: second };
    case 'connect':
      return isId(second) ? { kind: 'channel', value: second } : null;
    case 'automations':
      if (second === 'hooks') return { kind: 'hook', value: path.split('/')[3] ?? '' };
      break;
    case 'webhook-inbox':
      if (second !== '') return tagged('inbox', second, lengths.inbox);
      break;
    case 'ws':
      if (second === '')
        return inQuery(url, end, 'ticket', (ticket) => tagged('ticket', ticket, lengths.ticket));
      break;
    case 'widget.js':
      return inQuery(url, end, 'channel', channel);
    case 'widget':
      if (/^(frame|preview|live)$/.test(second)) return inQuery(url, end, 'channel', channel);
      break;
    case 'auth':
      if (homeAuth.includes(second)) return null;
      if (second === 'refresh') return byCookie(headers.cookie);
      if (second === 'logout') return byBearer(headers.authorization) ?? byCookie(headers.cookie);
      break;
  }
  return byBearer(headers.authorization);
}

export const channel = (value: string): Place => (value === '' ? null : { kind: 'channel', value });

function byAccount(account: string): Place {
  return isId(account) ? { account } : null;
}

function tagged(kind: LookedUp, value: string, length: number): Place {
  const account = accountInTag(value, length);
  return account === null ? { kind, value } : { account };
}

function inQuery(url: string, end: number, name: string, read: (value: string) => Place): Place {
  const value = end < 0 ? null : new URLSearchParams(url.slice(end + 1)).get(name);
  return value ? read(value) : null;
}

function byCookie(header: string | string[] | undefined): Place {
  const presented = refreshCookie.exec(String(header ?? ''))?.[1];
  if (!presented) return null;
  const value = decoded(presented);
  const dot = value.indexOf('.');
  const account = dot < 0 ? null : accountInTag(value.slice(0, dot), lengths.family);
  return account === null ? { kind: 'cookie', value } : { account };
}

function byBearer(header: string | string[] | undefined): Place {
  const token = /^Bearer +(\S+) *$/i.exec(String(header ?? ''))?.[1];
  if (!token) return null;
  if (token.startsWith(visitorTokenPrefix)) return byAccount(accountOfVisitor(token));
  if (token.startsWith('tb_')) {
    const account = accountInTag(token.slice('tb_'.length), lengths.token);
    return account === null ? { kind: 'token', value: token } : { account };
  }
  return byAccount(accountOfJwt(token));
}

function accountOfJwt(token: string): string {
  const claims = parsed(Buffer.from(token.split('.', 2)[1] ?? '', 'base64url').toString('utf8'));
  return textOf((claims as { account?: unknown } | null)?.account);
}

/** A signature of 32 bytes, then a list that begins with the account. */
function accountOfVisitor(token: string): string {
  const bytes = Buffer.from(token.slice(visitorTokenPrefix.length), 'base64url');
  const fields = parsed(bytes.subarray(32).toString('utf8'));
  return Array.isArray(fields) ? textOf(fields[0]) : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The account of these is known by their body only: the steps of a sign-in, links, and the start of a chat. */
export const namedInBody: { [route: string]: (body: Record<string, unknown>) => InBody | null } = {
  'POST /auth/login': ({ email }) => (typeof email === 'string' ? { email } : null),
  'POST /auth/login/factor': ({ ticket }) =>
    ofAccount(typeof ticket === 'string' ? accountInTag(ticket.split('.', 1)[0]!, 0) : null),
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
