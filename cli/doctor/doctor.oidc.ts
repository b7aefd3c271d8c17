/** Checks the sign-in provider, so that a wrong setting is found before people try to sign in. */
import type { Config } from '../../server/config.ts';
import { oidcCallbackPath } from '../../server/platform/oidc/oidc-settings.ts';
import { type Finding, fail, ok, warn } from './doctor.checks.ts';
import { checkProvider } from './doctor.provider.ts';

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
