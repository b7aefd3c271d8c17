/** Why the callback of the provider did not sign anyone in: `error` in the query of the sign-in page. */
export const signInErrors = [
  'provider_unavailable',
  'denied',
  'rejected',
  'expired',
  'no_email',
  'email_not_verified',
  'no_user',
  'unknown_role',
  'unknown_account',
  'other_account',
  'already_linked',
  'invitation_expired',
  'other_email',
  'account_suspended',
  'address_not_allowed',
  'unavailable',
] as const;
export type SignInError = (typeof signInErrors)[number];
