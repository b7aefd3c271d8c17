/**
 * Fills the templates of a tool's request. `{argument}` comes from the model, `{{customer.id}}` and the like from the
 * service. A value changes nothing but itself: in an address it is percent-encoded, in JSON it is a value or a part of a
 * text, and what cannot be said in its place is an error.
 */
import { badRequest } from '../../platform/http/errors.ts';
import type { Arguments } from './tools.schema.ts';

/** What the service knows of the conversation, by the name in the template. */
export type ServiceValues = ReadonlyMap<string, string>;

export interface UrlTemplate {
  /** Scheme, host and port: never a placeholder. */
  origin: string;
  path: string;
  /** Without the question mark; null: there is none. */
  query: string | null;
}

export interface Placeholder {
  name: string;
  /** `{{…}}` */
  isOfService: boolean;
}

const placeholder = /\{\{\s*([A-Za-z][\w.-]*)\s*\}\}|\{([A-Za-z][\w-]*)\}/g;

/** What is wrong with an address as a template, or its parts. */
export function readUrlTemplate(text: string): UrlTemplate | { problem: string } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in an address
  if (/[\s\\\u0000-\u001f\u007f]/.test(text.replace(placeholder, '')))
    return { problem: 'must not contain spaces or backslashes' };
  const [, authority, path, query, fragment] =
    /^(https?:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/i.exec(text) ?? [];
  if (authority === undefined) return { problem: 'must be an http or https address' };
  if (fragment !== undefined) return { problem: 'must not have a fragment' };
  if (/[{}]/.test(authority)) return { problem: 'must not have a placeholder in its host' };
  if (/[{}]/.test(text.replace(placeholder, ''))) {
    return { problem: 'has a placeholder that is not {argument} or {{value}}' };
  }
  if (!URL.canParse(authority)) return { problem: 'must be a valid address' };
  const segments = path!.split('/');
  if (segments.some(isDots)) return { problem: 'must not have the segments . or ..' };
  return { origin: new URL(authority).origin, path: path!, query: query ?? null };
}

/** Of a part of an address or of a text. */
export function placeholdersOf(text: string): Placeholder[] {
  return [...text.matchAll(placeholder)].map(([, ofService, argument]) => ({
    name: ofService ?? argument!,
    isOfService: ofService !== undefined,
  }));
}

/** Of all texts of a template of JSON. */
export function placeholdersIn(template: unknown): Placeholder[] {
  if (typeof template === 'string') return placeholdersOf(template);
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(placeholdersIn);
}

export function fillUrl(
  { origin, path, query }: UrlTemplate,
  given: Arguments,
  values: ServiceValues,
): string {
  const encoded = (text: string) =>
    text.replace(placeholder, (_all, ofService?: string, argument?: string) =>
      encodePart(textOf(valueIn(given, values, ofService, argument), ofService ?? argument!)),
    );
  const segments = path.split('/').map((segment) => {
    const filled = encoded(segment);
    // An address cannot say these: they lead elsewhere, whether encoded or not.
    if (segment !== '' && (filled === '' || isDots(filled))) {
      const [{ name } = { name: 'path' }] = placeholdersOf(segment);
      throw badRequest(`arguments.${name} cannot be a part of the address`);
    }
    return filled;
  });
  const pairs = (query === null || query === '' ? [] : query.split('&')).filter((pair) => {
    const named = placeholdersOf(pair);
    return named.length === 0 || named.some((one) => isGiven(given, values, one));
  });
  const search = pairs.length > 0 ? `?${pairs.map(encoded).join('&')}` : '';
  const url = new URL(origin + segments.join('/') + search);
  const isSamePlace =
    url.origin === origin && url.pathname.split('/').length === Math.max(2, segments.length);
  if (!isSamePlace || url.hash !== '') throw badRequest('the arguments cannot be a part of the address');
  return url.href;
}

/** Null: this property, or this item, has no value. */
export function fillJson(
  template: unknown,
  given: Arguments,
  values: ServiceValues,
): { value: unknown } | null {
  if (typeof template === 'string') return fillText(template, given, values);
  if (Array.isArray(template)) {
    const items = template.map((item) => fillJson(item, given, values));
    return { value: items.flatMap((item) => (item ? [item.value] : [])) };
  }
  if (typeof template !== 'object' || template === null) return { value: template };
  const filled = Object.entries(template).flatMap(([name, part]) => {
    const item = fillJson(part, given, values);
    return item ? [[name, item.value] as const] : [];
  });
  return { value: Object.fromEntries(filled) };
}

/** Only values of the service. What a header cannot have is percent-encoded. */
export function fillHeader(template: string, values: ServiceValues): string {
  return template.replace(placeholder, (all, ofService?: string) =>
    ofService === undefined
      ? all
      : (values.get(ofService) ?? '').toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent),
  );
}

function fillText(text: string, given: Arguments, values: ServiceValues): { value: unknown } | null {
  const found = placeholdersOf(text);
  const [only] = found;
  if (only && found.length === 1 && text.replace(placeholder, '') === '') {
    if (!isGiven(given, values, only)) return null;
    return { value: only.isOfService ? values.get(only.name) : given[only.name] };
  }
  const value = text.replace(placeholder, (_all, ofService?: string, argument?: string) => {
    const one = valueIn(given, values, ofService, argument);
    return typeof one === 'object' && one !== null ? JSON.stringify(one) : String(one ?? '');
  });
  return { value };
}

function valueIn(given: Arguments, values: ServiceValues, ofService?: string, argument?: string): unknown {
  if (ofService !== undefined) return values.get(ofService);
  return Object.hasOwn(given, argument!) ? given[argument!] : undefined;
}

const isGiven = (given: Arguments, values: ServiceValues, { name, isOfService }: Placeholder): boolean =>
  isOfService ? values.has(name) : Object.hasOwn(given, name);

function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') throw badRequest(`arguments.${name} must be a single value`);
  return String(value);
}

function encodePart(text: string): string {
  if (!text.isWellFormed()) throw badRequest('the arguments contain an unpaired surrogate');
  return encodeURIComponent(text);
}

/** As an address reads them. */
const isDots = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);
