/**
 * What a caller shows instead of an account (API tokens, refresh cookies, tickets, addresses of test receivers) begins
 * with the account's id, so that a request finds the account's cell without a query. The id is no secret, and the
 * random part behind it is as long as before. The account and not its cell: an account may move.
 */
import { isId } from '../ids.ts';

/** 16 bytes in base64url. */
const tagLength = 22;

/** Random characters of a link that is used once, after the tag. */
export const linkTokenLength = 43;

export function tagOf(accountId: string): string {
  return Buffer.from(accountId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** The account in a text of the given length without its tag; null: it has another form, such as one from before tags. */
export function accountInTag(text: string, untaggedLength: number): string | null {
  if (text.length !== tagLength + untaggedLength) return null;
  const tag = text.slice(0, tagLength);
  const bytes = Buffer.from(tag, 'base64url');
  if (bytes.length !== 16 || bytes.toString('base64url') !== tag) return null;
  const hex = bytes.toString('hex');
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );
  return isId(id) ? id : null;
}
