import { decodeJwt, SignJWT } from 'jose';
import type { TestService } from './service.ts';

/** The same session's, valid for a day: a JWT ends after 15 minutes, which a full run on a busy machine outlasts. */
export function longJwt({ context }: Pick<TestService, 'context'>, jwt: string): Promise<string> {
  const claims = decodeJwt(jwt);
  return new SignJWT({ ...claims, exp: claims.exp! + 86_400 })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(context.secrets.deriveAll('jwt')[0]!);
}
