/**
 * Talks to the OpenID Connect provider: authorization code with PKCE. `openid-client` checks state, nonce, issuer,
 * audience, expiry and the signature of the ID token. The provider's address comes from the operator's environment and is
 * often in a private network: it is called directly, not through safe-fetch.
 */
import * as oidc from 'openid-client';
import type { OidcSettings } from './oidc-settings.ts';

/** What the browser keeps while it is at the provider. */
export interface OidcAttempt {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who the provider says has signed in. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  claims: Readonly<Record<string, unknown>>;
}

export class OidcFailure extends Error {
  readonly code: 'provider_unavailable' | 'denied' | 'rejected';

  constructor(code: OidcFailure['code'], cause: unknown) {
    super(reasonOf(cause), { cause });
    this.code = code;
  }
}

export interface OidcClient {
  begin(): Promise<{ url: string; attempt: OidcAttempt }>;
  /** `address`: that of the callback, with what the provider added. */
  finish(address: URL, attempt: OidcAttempt): Promise<OidcIdentity>;
}

const timeoutSeconds = 10;
/** Then the provider's addresses are read again. */
const knownMs = 3_600_000;

export function createOidcClient(settings: OidcSettings, redirectUri: string): OidcClient {
  let known: { configuration: Promise<oidc.Configuration>; until: number } | null = null;
  const discover = (): Promise<oidc.Configuration> => {
    if (known && performance.now() < known.until) return known.configuration;
    const configuration = discoverProvider(settings);
    const entry = { configuration, until: performance.now() + knownMs };
    known = entry;
    configuration.catch(() => {
      if (known === entry) known = null;
    });
    return configuration;
  };
  const provider = () =>
    discover().catch((error) => {
      throw new OidcFailure('provider_unavailable', error);
    });

  return {
    async begin() {
      const configuration = await provider();
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: settings.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, attempt };
    },

    async finish(address, attempt) {
      const configuration = await provider();
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, address, {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        const complete = await withUserInfo(configuration, settings, tokens.access_token, claims);
        return { issuer: claims.iss, subject: claims.sub, claims: complete };
      } catch (error) {
        throw new OidcFailure(codeOf(error), error);
      }
    },
  };
}

export function discoverProvider({
  issuer,
  clientId,
  clientSecret,
}: OidcSettings): Promise<oidc.Configuration> {
  const server = new URL(issuer);
  return oidc.discovery(
    server,
    clientId,
    {},
    clientSecret === '' ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
    {
      timeout: timeoutSeconds,
      execute: [
        // Also the signature, although the token came over TLS from the provider itself.
        oidc.enableNonRepudiationChecks,
        ...(server.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
}

/** Some providers tell the e-mail address or the groups only there. */
async function withUserInfo(
  configuration: oidc.Configuration,
  { roleClaim, accountClaim }: OidcSettings,
  accessToken: string,
  claims: Readonly<Record<string, unknown>> & { sub: string },
): Promise<Readonly<Record<string, unknown>>> {
  const needed = ['email', 'email_verified', 'name', roleClaim, accountClaim].filter((name) => name !== '');
  const isComplete = needed.every((name) => claimAt(claims, name) !== undefined);
  if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims;
  const { email_verified: isVerified, ...more } = await oidc.fetchUserInfo(
    configuration,
    accessToken,
    claims.sub,
  );
  // What is signed counts more. Whether an address is verified is said of that address only.
  const isOfEmail = claims.email === undefined || claims.email === more.email;
  return { ...more, ...(isOfEmail && isVerified !== undefined && { email_verified: isVerified }), ...claims };
}

/** By its name, or by a path such as `realm_access.roles`. */
export function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, step)
          ? (value as Record<string, unknown>)[step]
          : undefined,
      claims,
    );
}

function codeOf(error: unknown): OidcFailure['code'] {
  if (error instanceof oidc.AuthorizationResponseError) {
    if (error.error === 'access_denied') return 'denied';
    return error.error === 'temporarily_unavailable' || error.error === 'server_error'
      ? 'provider_unavailable'
      : 'rejected';
  }
  const { code, name } = error as { code?: unknown; name?: unknown };
  // What fetch throws without a response.
  const isNetwork = name === 'TypeError' && (error as Error).message === 'fetch failed';
  return isNetwork || code === 'OAUTH_TIMEOUT' ? 'provider_unavailable' : 'rejected';
}

/** For the log. Never a token: messages of the client hold none, and the causes are not included. */
function reasonOf(error: unknown): string {
  const { message = '', code, error: name } = error as { message?: string; code?: unknown; error?: unknown };
  return [message, code, name].filter((part) => typeof part === 'string' && part !== '').join(', ');
}
