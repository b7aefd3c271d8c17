import { forbidden } from '../../../platform/http/errors.ts';
import type { OidcSettings } from '../../../platform/oidc/oidc-settings.ts';

/** Passwords and passkeys of the service itself are refused where the provider is the only way. */
export function requireLocalSignIn(
  { oidc }: { oidc: OidcSettings | null },
  what: 'passwords' | 'passkeys',
): void {
  if (oidc?.isOnlyWay) throw forbidden(`${what} are disabled: sign in with ${oidc.name}`);
}
