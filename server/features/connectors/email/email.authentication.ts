/** What the receiving server found out about the sender of a mail (RFC 8601). */
import type { ParsedMail } from './email.parse.ts';

/**
 * Whether the mail fails DMARC. Of the receiving server's headers the first with a result for it counts: servers add theirs
 * above those that came with the mail, and some add one for each method.
 */
export function failsDmarc({ authentication }: ParsedMail, authservId: string | undefined): boolean {
  if (authservId === undefined) return false;
  for (const header of authentication) {
    const [server = '', ...results] = withoutComments(header).split(';');
    if (server.trim().split(/\s/, 1)[0]!.toLowerCase() !== authservId.toLowerCase()) continue;
    const dmarc = results.find((result) => /^\s*dmarc\s*=/i.test(result));
    if (dmarc !== undefined) return /=\s*fail\b/i.test(dmarc);
  }
  return false;
}

function withoutComments(header: string): string {
  let depth = 0;
  let text = '';
  for (const character of header) {
    if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) text += character;
  }
  return text;
}
