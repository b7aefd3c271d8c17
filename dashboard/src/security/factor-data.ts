import { queryOptions } from '@tanstack/react-query';
import type { AccountSecurity, Factors } from '../../../contract/sign-in/second-factors.ts';
import { api } from '../data/api.ts';
import { ApiError, describeError } from '../data/errors.ts';
import { refresh } from '../data/refresh.ts';
import { factorIsSetUp } from '../data/sign-in.ts';
import { t } from '../texts/texts.ts';

export const factorsQuery = queryOptions({
  queryKey: ['factors'] as const,
  queryFn: ({ signal }) => api<Factors>('GET', '/auth/factors', { signal }),
  staleTime: 0,
});

export const accountSecurityQuery = queryOptions({
  queryKey: ['account-security'] as const,
  queryFn: ({ signal }) => api<AccountSecurity>('GET', '/account/security', { signal }),
  staleTime: 0,
});

export const reloadFactors = () => refresh(factorsQuery.queryKey);

/** After the last dialog about it: a person who had to set one up is led on to the dashboard. */
export async function factorAdded(): Promise<void> {
  await reloadFactors();
  factorIsSetUp();
}

/** One per line, or separated by commas and spaces. */
export const readAddresses = (text: string): string[] => text.split(/[\s,;]+/).filter((one) => one !== '');

/** The service's message names the field of the API. */
export function addressProblem(failure: unknown): string {
  const value = failure instanceof ApiError && /ranges such as .* not "(.*)"$/.exec(failure.message)?.[1];
  return value ? t('security.addressWrong', { value }) : describeError(failure).text;
}
