/** Patterns of short texts, each with what an error says of a text that does not match. */
import { emailPattern } from '../widget/widget-protocol.ts';

export const patterns = {
  color: '^#[0-9a-fA-F]{6}$',
  currency: '^[A-Z]{3}$',
  /** Also in paths: of a help center, of a board's status. */
  slug: '^[a-z0-9-]+$',
  /** Of a language such as `en` or `pt-BR`. */
  languageTag: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$',
  path: '^/',
  toolName: '^[a-z][a-z0-9_]{2,63}$',
  stepId: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
  email: emailPattern,
  clientId: '^[!-~]{1,64}$',
  visitorClientId: '^[A-Za-z0-9_-]{8,64}$',
  date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  time: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  endOfInterval: '^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$',
  release: '^v\\d+\\.\\d+\\.\\d+$',
  base64url: '^[A-Za-z0-9_-]+={0,2}$',
} as const;

const rules: { readonly [name in keyof typeof patterns]: string } = {
  color: 'must be a color such as #5059d1',
  currency: 'must be three capital letters, such as EUR',
  slug: 'must consist of lower-case letters (a-z), digits and hyphens',
  languageTag: 'must be a language tag such as en or pt-BR',
  path: 'must begin with /',
  toolName:
    'must have 3 to 64 characters and begin with a letter: lower-case letters (a-z), digits and underscores',
  stepId: 'must have 1 to 64 characters and begin with a letter: letters, digits, hyphens and underscores',
  email: 'must be an e-mail address',
  clientId: 'must have 1 to 64 visible ASCII characters',
  visitorClientId: 'must have 8 to 64 characters: letters, digits, hyphens and underscores',
  date: 'must be a date such as 2027-12-25',
  time: 'must be a time such as 09:00',
  endOfInterval: 'must be a time such as 09:00, or 24:00',
  release: 'must be a version such as v1.7.232',
  base64url: 'must be base64url',
};

const byPattern = new Map<string, string>(
  Object.entries(patterns).map(([name, pattern]) => [pattern, rules[name as keyof typeof patterns]]),
);

/** Undefined: the pattern is not one of these. */
export const ruleOf = (pattern: string): string | undefined => byPattern.get(pattern);
