/** The settings of sign-in with an OpenID Connect provider (OIDC_…), described in docs/sign-in.md. */
import { roles } from '../../../contract/limits.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Empty: a public client, which PKCE alone protects. */
  clientSecret: string;
  /** On the button. */
  name: string;
  scopes: string;
  /** Empty: the provider does not decide about roles. */
  roleClaim: string;
  /** The name of the role of each value of the claim. Null: the values are the names. */
  roleOfValue: ReadonlyMap<string, string> | null;
  /** The name of the role of a new user whose claim is absent. Null: they are refused. */
  defaultRole: string | null;
  /** Empty: the provider does not decide about accounts. */
  accountClaim: string;
  /** Id or name; empty: the only account of the instance. */
  defaultAccount: string;
  createsUsers: boolean;
  /** Whether an e-mail address counts as verified if the provider does not say that it is not. */
  trustsEmail: boolean;
  /** Whether passwords are refused. */
  isOnlyWay: boolean;
}

export interface SettingReader {
  /** The value, or else the default. */
  text(name: string): string;
  /** Collects what `read` throws as a problem of the setting. */
  check<T>(name: string, read: () => T): T;
  readBoolean(value: string): boolean;
}

export function readOidc({ text, check, readBoolean }: SettingReader): OidcSettings | null {
  const flag = (name: string) => check(name, () => readBoolean(text(name)));
  const isOnlyWay = flag('OIDC_ONLY');
  if (text('OIDC_ISSUER') === '') {
    if (isOnlyWay) check('OIDC_ONLY', () => fail('needs OIDC_ISSUER: otherwise no one could sign in'));
    return null;
  }
  const issuer = check('OIDC_ISSUER', () => readIssuer(text('OIDC_ISSUER')));
  const roleClaim = text('OIDC_ROLE_CLAIM');
  return {
    issuer,
    clientId: check('OIDC_CLIENT_ID', () => text('OIDC_CLIENT_ID') || fail('is required with OIDC_ISSUER')),
    clientSecret: text('OIDC_CLIENT_SECRET'),
    name: text('OIDC_NAME') || (issuer === undefined ? '' : new URL(issuer).hostname),
    scopes: check('OIDC_SCOPES', () => readScopes(text('OIDC_SCOPES'))),
    roleClaim,
    roleOfValue: check('OIDC_ROLES', () => readRoles(text('OIDC_ROLES'))),
    defaultRole: check('OIDC_DEFAULT_ROLE', () =>
      text('OIDC_DEFAULT_ROLE') === ''
        ? roleClaim === ''
          ? 'operator'
          : null
        : readRole(text('OIDC_DEFAULT_ROLE')),
    ),
    accountClaim: text('OIDC_ACCOUNT_CLAIM'),
    defaultAccount: text('OIDC_DEFAULT_ACCOUNT'),
    createsUsers: flag('OIDC_CREATE_USERS'),
    trustsEmail: flag('OIDC_TRUST_EMAIL'),
    isOnlyWay,
  };
}

function fail(message: string): never {
  throw new Error(message);
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

function readIssuer(value: string): string {
  const url = URL.parse(value);
  if (url?.protocol === 'https:') return value;
  if (url?.protocol === 'http:' && loopback.test(url.hostname)) return value;
  return fail('must be a URL that begins with https:// (http:// only on this machine)');
}

function readScopes(value: string): string {
  const scopes = value.split(/[\s,]+/).filter((scope) => scope !== '');
  return scopes.includes('openid') ? scopes.join(' ') : fail('must contain openid');
}

/** `value=role` pairs; without any, the values are the names of the roles. */
function readRoles(value: string): ReadonlyMap<string, string> | null {
  if (value === '') return null;
  return new Map(
    value.split(',').map((pair) => {
      // The value may have an equals sign in it, such as cn=admins.
      const end = pair.lastIndexOf('=');
      const name = pair.slice(0, end).trim();
      if (end < 0 || name === '') return fail(`must be pairs such as talkboard-admins=admin, not "${pair}"`);
      return [name, readRole(pair.slice(end + 1).trim())];
    }),
  );
}

/** Roles of an account are marked, so that a typing mistake in a built-in one is noticed at the start. */
function readRole(value: string): string {
  if (roles.some((role) => role === value)) return value;
  const name = /^role:(.*\S)/.exec(value)?.[1]?.trim();
  return name ?? fail(`must be one of ${roles.join(', ')}, or role: with the name of a role, not "${value}"`);
}
