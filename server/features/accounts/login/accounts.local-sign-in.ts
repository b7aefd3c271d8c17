import type { Config } from '../../../config.ts';
import { forbidden } from '../../../platform/http/errors.ts';

/** Passwords and passkeys of the service itself are refused where the provider is the only way. */
export function requireLocalSignIn({ oidc }: Pick<Config, 'oidc'>, what: 'passwords' | 'passkeys'): void {
  if (oidc?.isOnlyWay) throw forbidden(`${what} are disabled: sign in with ${oidc.name}`);
}
