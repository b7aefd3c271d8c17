/**
 * `nextToken`: where the next page begins, signed with the account and the query it belongs to, so that a modified
 * token, or one of another account or filter, is rejected.
 */

import { hmac, isSignedBy, type Secrets } from '../secrets/secrets.ts';
import { badRequest } from './errors.ts';

export interface PageTokens {
  issue(cursor: readonly (string | number)[], scope: PageScope): string;
  read(token: string, scope: PageScope): (string | number)[];
}

/** The list's name, the account, and every filter that affects the list (not the page size). */
export type PageScope = readonly (string | number | boolean | null | undefined)[];

const signatureLength = 16;

export function createPageTokens(secrets: Secrets): PageTokens {
  const keys = secrets.deriveKeys('page-token');
  const signedText = (cursor: string, scope: PageScope) =>
    JSON.stringify([cursor, scope.map((part) => part ?? null)]);
  return {
    issue(cursor, scope) {
      const text = JSON.stringify(cursor);
      const signature = hmac(keys[0]!, signedText(text, scope)).subarray(0, signatureLength);
      return Buffer.concat([signature, Buffer.from(text)]).toString('base64url');
    },
    read(token, scope) {
      const bytes = Buffer.from(token, 'base64url');
      const text = bytes.subarray(signatureLength).toString('utf8');
      // Another spelling of the same bytes (padding, other alphabet) is a modified token too.
      const genuine =
        bytes.toString('base64url') === token &&
        isSignedBy(keys, signedText(text, scope), bytes.subarray(0, signatureLength), signatureLength);
      if (!genuine) throw badRequest('nextToken is not valid for this list');
      return JSON.parse(text) as (string | number)[];
    },
  };
}

export interface Page<T> {
  items: T[];
  nextToken: string | null;
}

/** Cuts a list that was read with one row more than the page size. */
export function cutPage<T>(rows: T[], limit: number, nextToken: (last: T) => string): Page<T> {
  if (rows.length <= limit) return { items: rows, nextToken: null };
  const items = rows.slice(0, limit);
  return { items, nextToken: nextToken(items[limit - 1]!) };
}
