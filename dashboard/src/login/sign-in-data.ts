/** The queries and calls of the pages before signing in. */
import { queryOptions } from '@tanstack/react-query';
import type { InvitationInfo, SignInMethods } from '../../../contract/sign-in/sign-in.ts';
import { request, responseError } from '../data/http.ts';

export async function callPublic<T>(path: string, body?: object): Promise<T> {
  const response = await request(path, {
    method: body ? 'POST' : 'GET',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await responseError(response);
  return response.json() as Promise<T>;
}

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => callPublic<SignInMethods>('/auth/methods'),
  staleTime: 60_000,
  retry: false,
});

/** By the token of its link. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => callPublic<InvitationInfo>('/auth/invitations/look-up', { token }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
