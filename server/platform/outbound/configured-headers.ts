/** Headers that a user configured for calls. Their values are secrets: they are stored sealed, and never shown. */
import { hiddenHeader } from '../../../contract/knowledge.ts';
import { badRequest } from '../http/errors.ts';
import { canSendHeader } from './safe-fetch.ts';

export type Headers = Readonly<Record<string, string>>;

export interface HeaderRules {
  /** How errors name them, such as `settings.headers`. */
  name: string;
  /** In lower case: those that the caller sets itself. */
  reserved: ReadonlySet<string>;
  maxHeaders: number;
  maxLength: number;
}

/** A hidden value stands for the known one. */
export function readHeaders(
  input: Headers,
  known: Headers,
  { name: path, reserved, maxHeaders, maxLength }: HeaderRules,
): Headers {
  const names = Object.keys(input);
  if (names.length > maxHeaders) throw badRequest(`${path} must have at most ${maxHeaders} properties`);
  const twice = names.find((name, at) => names.findIndex((other) => sameName(other, name)) !== at);
  if (twice !== undefined) throw badRequest(`${path} has ${shown(twice)} more than once`);
  return Object.fromEntries(
    names.map((name) => {
      const value = input[name] === hiddenHeader ? known[name] : input[name];
      if (value === undefined) {
        throw badRequest(`${path}.${shown(name)} has no stored value: enter it again`);
      }
      const isOurs = reserved.has(name.toLowerCase());
      if (isOurs || name.length > 100 || value.length > maxLength || !canSendHeader(name, value)) {
        throw badRequest(`${path}.${shown(name)} cannot be sent`);
      }
      return [name, value];
    }),
  );
}

/** As responses show them. */
export const hideHeaders = (names: readonly string[]): Headers =>
  Object.fromEntries(names.map((name) => [name, hiddenHeader]));

const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
const shown = (name: string) => name.slice(0, 100);
