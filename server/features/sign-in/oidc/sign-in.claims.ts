/** What the claims of a provider say about role, account and e-mail address. Nothing is read from the database here. */
import { limits } from '../../../../contract/limits.ts';
import type { SignInError } from '../../../../contract/sign-in/sign-in-errors.ts';
import { claimAt } from '../../../platform/oidc/oidc-client.ts';
import type { OidcSettings } from '../../../platform/oidc/oidc-settings.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The sign-in fails and nothing is created. */
export class SignInRefused extends Error {
  readonly code: SignInError;

  constructor(code: SignInError, reason: string) {
    super(reason);
    this.code = code;
  }
}

/**
 * The names of roles; which of them the account has is not known here. Null: the claim is absent, or none is set up. An
 * empty list is not absent: the person was removed from every group.
 */
export function rolesIn(claims: Claims, { roleClaim, roleOfValue }: OidcSettings): string[] | null {
  if (roleClaim === '' || claimAt(claims, roleClaim) === undefined) return null;
  const values = valuesAt(claims, roleClaim);
  const found = roleOfValue ? values.flatMap((value) => roleOfValue.get(value) ?? []) : values;
  if (found.length === 0) throw unknownRole(`the claim ${roleClaim} has no role that is known here`);
  return found;
}

export const unknownRole = (reason: string) => new SignInRefused('unknown_role', reason);

/** Id or name. Null: the claim is absent, or none is set up. */
export function accountIn(claims: Claims, { accountClaim }: OidcSettings): string | null {
  const values = valuesAt(claims, accountClaim);
  if (values.length > 1) {
    throw new SignInRefused('unknown_account', `the claim ${accountClaim} has more than one account`);
  }
  return values[0] ?? null;
}

export function emailIn(claims: Claims, { trustsEmail }: OidcSettings): string {
  const { email, email_verified: isVerified } = claims;
  if (
    typeof email !== 'string' ||
    !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email.trim()) ||
    email.length > 320
  ) {
    throw new SignInRefused('no_email', 'the provider sent no e-mail address');
  }
  const counts = isVerified === true || isVerified === 'true' || (trustsEmail && isVerified === undefined);
  if (!counts) throw new SignInRefused('email_not_verified', 'the e-mail address is not verified');
  return email.trim().toLowerCase();
}

export function nameIn(claims: Claims, email: string): string {
  const names = [claims.name, claims.preferred_username, email.split('@')[0]];
  const name = names.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  return (name ?? email)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, limits.nameLength);
}

/** One text, or a list of them. */
function valuesAt(claims: Claims, path: string): string[] {
  const value = path === '' ? undefined : claimAt(claims, path);
  return [value].flat().filter((one): one is string => typeof one === 'string' && one !== '');
}
