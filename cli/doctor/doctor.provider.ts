/** Tries a provider as far as that works without a person: its addresses, the redirect address, the client and its secret. */

import * as oidc from 'openid-client';
import { oidcCallbackPath } from '../../contract/sign-in/sign-in.ts';
import type { Config } from '../../server/config.ts';
import { discoverProvider } from '../../server/platform/oidc/oidc-client.ts';
import type { OidcSettings } from '../../server/platform/oidc/oidc-settings.ts';
import { type Finding, fail, ok, warn } from './doctor.checks.ts';

export interface ProviderProblem {
  /** Which settings to look at. */
  of: 'issuer' | 'redirect' | 'client';
  message: string;
}

export interface ProviderCheck {
  problem: ProviderProblem | null;
  /** Whether the provider sent the browser back to the redirect address. Some show a page of their own instead. */
  isRedirectKnown: boolean;
}

const timeoutMs = 10_000;

async function checkProvider(settings: OidcSettings, redirectUri: string): Promise<ProviderCheck> {
  const failed = (of: ProviderProblem['of'], message: string) => ({
    problem: { of, message },
    isRedirectKnown: false,
  });
  let configuration: oidc.Configuration;
  try {
    configuration = await discoverProvider(settings);
  } catch (error) {
    return failed('issuer', issuerProblem(error));
  }
  let redirect: Awaited<ReturnType<typeof tryRedirect>>;
  try {
    redirect = await tryRedirect(configuration, settings, redirectUri);
  } catch (error) {
    return failed('issuer', `its authorization address does not answer: ${networkReason(error)}`);
  }
  if (redirect === 'refused')
    return failed('redirect', 'it does not accept the client or the redirect address');
  const clientProblem = await findClientProblem(configuration, redirectUri);
  if (clientProblem) return failed('client', clientProblem);
  return { problem: null, isRedirectKnown: redirect === 'known' };
}

/** With `prompt=none` a provider that knows the redirect address sends the browser there at once, with an error. */
async function tryRedirect(
  configuration: oidc.Configuration,
  { scopes }: OidcSettings,
  redirectUri: string,
): Promise<'known' | 'refused' | 'unclear'> {
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes,
    prompt: 'none',
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    code_challenge: await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
  });
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  await response.body?.cancel();
  if (response.status >= 400) return 'refused';
  return response.headers.get('location')?.startsWith(redirectUri) ? 'known' : 'unclear';
}

/** With a code that cannot be right: the provider checks the client first. */
async function findClientProblem(
  configuration: oidc.Configuration,
  redirectUri: string,
): Promise<string | null> {
  try {
    await oidc.genericGrantRequest(configuration, 'authorization_code', {
      code: 'talkboard-doctor',
      redirect_uri: redirectUri,
      code_verifier: oidc.randomPKCECodeVerifier(),
    });
  } catch (error) {
    const { error: name, status } = error as { error?: unknown; status?: unknown };
    if (name === 'invalid_client' || name === 'unauthorized_client' || status === 401) {
      return 'it does not accept the client and its secret';
    }
  }
  return null;
}

function issuerProblem(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    const said = (cause as { body?: { issuer?: unknown } } | undefined)?.body?.issuer;
    return typeof said === 'string' ? `it calls itself ${said}` : 'it calls itself by another name';
  }
  const status = (cause as { status?: unknown } | undefined)?.status;
  if (typeof status === 'number') return `its description cannot be read: status ${status}`;
  return `its description cannot be read: ${networkReason(error)}`;
}

/** fetch has the reason in the cause. */
function networkReason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || 'no answer';
}

/** Checks the sign-in provider, so that a wrong setting is found before people try to sign in. */
export async function checkOidc({ oidc, publicUrl, hasPublicUrl }: Config): Promise<Finding> {
  if (oidc === null)
    return ok('not configured (OIDC_ISSUER is not set): people sign in with passwords and passkeys');
  const redirect = publicUrl + oidcCallbackPath;
  const { problem, isRedirectKnown } = await checkProvider(oidc, redirect);
  if (problem) {
    const advice = {
      issuer: 'Check OIDC_ISSUER, spelled exactly as the provider does, and that this machine can reach it.',
      redirect: `Register the redirect address ${redirect} for OIDC_CLIENT_ID at the provider.`,
      client: 'Check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET. The provider must accept client_secret_basic.',
    }[problem.of];
    return fail(`${oidc.issuer}: ${problem.message}`, advice);
  }
  const message = `${oidc.issuer}, redirect address ${redirect}`;
  if (!hasPublicUrl) return warn(message, 'Set PUBLIC_URL: the redirect address begins with it.');
  if (!isRedirectKnown) {
    return warn(
      `${message}: the provider does not say whether it accepts this address`,
      'Sign in once to be sure that it is registered at the provider.',
    );
  }
  return ok(message);
}
