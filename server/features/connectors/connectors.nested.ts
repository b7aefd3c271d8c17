/** Settings and credentials with objects in them, such as `imap: { host, port, tls }`. Objects are merged, not replaced. */
import type { TObject } from 'typebox';
import type { Settings } from './connectors.provider.ts';

type Values = Record<string, unknown>;

/** Not for arrays: no setting is one. */
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const propertiesOf = (schema: unknown) => (schema as Partial<TObject>).properties;

/** What was left out stays; null takes a setting back to its default. */
export function mergeSettings(schema: TObject, input: Values, before: Settings): Settings {
  const settings: Settings = {};
  for (const [name, one] of Object.entries(schema.properties)) {
    const given = input[name] === undefined ? before[name] : input[name];
    if (propertiesOf(one) && (isObject(given) || given === undefined || given === null)) {
      const known = isObject(before[name]) && given !== null ? before[name] : {};
      const merged = mergeSettings(one as TObject, given === before[name] || !given ? {} : given, known);
      // Without a value it is missing, so that the error names the object.
      if (Object.keys(merged).length > 0 && given !== undefined && given !== null) settings[name] = merged;
      continue;
    }
    const value = given ?? (one as { default?: unknown }).default;
    if (value !== undefined) settings[name] = name === 'apiBase' ? withoutSlash(value) : value;
  }
  return settings;
}

/** `before` is flat: `imap.user`. */
export function mergeCredentials(
  schema: TObject,
  input: Values,
  before: Readonly<Record<string, string>>,
  prefix = '',
): Values {
  const credentials: Values = {};
  for (const [name, one] of Object.entries(schema.properties)) {
    const path = `${prefix}${name}`;
    const given = input[name];
    if (propertiesOf(one) && (given === undefined || given === null || isObject(given))) {
      credentials[name] = mergeCredentials(one as TObject, given ?? {}, before, `${path}.`);
      continue;
    }
    const value = given ?? before[path];
    if (value !== undefined) credentials[name] = value;
  }
  return credentials;
}

export function flatten(values: Values, prefix = ''): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (isObject(value)) Object.assign(flat, flatten(value, `${prefix}${name}.`));
    else flat[`${prefix}${name}`] = String(value);
  }
  return flat;
}

const withoutSlash = (value: unknown) => (typeof value === 'string' ? value.replace(/\/+$/, '') : value);

/** What a connector will call: `apiBase`, and the hosts of its objects. */
export function addressesOf(input: Values): { path: string; url: string }[] {
  const found: { path: string; url: string }[] = [];
  if (typeof input.apiBase === 'string') found.push({ path: 'connector.apiBase', url: input.apiBase });
  for (const [name, value] of Object.entries(input)) {
    if (name === 'credentials' || !isObject(value) || typeof value.host !== 'string') continue;
    const host = value.host.includes(':') ? `[${value.host}]` : value.host;
    const port = Number.isInteger(value.port) ? `:${value.port}` : '';
    const url = `http://${host}${port}/`;
    // The check of the form follows.
    if (URL.canParse(url)) found.push({ path: `connector.${name}.host`, url });
  }
  return found;
}

/** The settings that say where credentials are sent: `apiBase` for all of them, a server of a mailbox for its own. */
export function movedServers(before: Settings, after: Settings): { name: string; prefix: string }[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .map((name) => ({ name, prefix: name === 'apiBase' ? '' : `${name}.` }))
    .filter(({ name }) => serverOf(name, before[name]) !== serverOf(name, after[name]));
}

/** The setting whose change sends what customers write to another address; undefined: none. */
export const movedAddress = (before: Settings, after: Settings): string | undefined =>
  before.apiBase === after.apiBase ? movedServers(before, after)[0]?.name : 'apiBase';

/** The same for the same server; null: the setting is no address. */
function serverOf(name: string, value: unknown): string | null {
  if (name === 'apiBase') return URL.canParse(String(value)) ? new URL(String(value)).origin : String(value);
  if (!isObject(value) || value.host === undefined) return null;
  return JSON.stringify([String(value.host).toLowerCase(), value.port, value.tls]);
}
